/* ptx_parse.h - PTX text to syntax tree.
 *
 * The grammar is that of PTX ISA up to 9.0. It takes every instruction in the general form
 * "opcode.mod.mod operand, operand": the lowering knows which combinations exist, so a text with an
 * unsupported instruction parses, and the lowering refuses the instruction by name. */
#ifndef PTX_PARSE_H
#define PTX_PARSE_H

#include <stddef.h>

#include "common/error.h"
#include "ptx/parse/ptx_ast.h"

/* Parses `text[0..len)`; `name` stands in messages as the file. The tree and its words live in
 * `arena`; `text` must stay as long as the tree is used. On error *out is NULL and `diag` (may be
 * NULL) holds "NAME:LINE:COL: error: ...", the source line, a caret, and what to do. Threads may
 * parse different texts at the same time. @return HEDDLE_OK, HEDDLE_ERR_PTX_SYNTAX. */
heddle_err ptx_parse(const char *text, size_t len, const char *name, struct arena *arena,
                     struct ptx_module **out, struct heddle_diag *diag);

#endif
