/* check_module.h - checks a parsed module as ptxas does: every name is declared, every operand is
 * what its instruction takes there, modifiers go together.
 *
 * The stage between the parser and the lowering. It changes nothing; the lowering may rely on what
 * it has checked. Instructions whose operation has no rows in tables/ptx_forms.def are left to the
 * lowering. */
#ifndef PTX_CHECK_MODULE_H
#define PTX_CHECK_MODULE_H

#include "common/error.h"
#include "ptx/parse/ptx_ast.h"

/* Checks all functions of the module; `name` stands for the file in messages. `linked`: as struct
 * ptx_options has it. Takes memory from `arena`, and enters words of the table into m->words. A
 * function that nothing names may use what Heddle lacks. @return HEDDLE_OK; else the first error,
 * with its text in diag (may be NULL) */
heddle_err check_module(struct ptx_module *m, const char *name, bool linked, struct arena *arena,
                        struct heddle_diag *diag);

#endif
