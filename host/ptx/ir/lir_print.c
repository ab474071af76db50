/* lir_print.c - a function as text on a stream, for debugging; called by ptx_compile.c with option
 * dump_lir. Changes nothing. Block numbers and edges are those of the last lir_cfg_build.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir.h"

/* Writes the blocks in layout order, an instruction a line: guard, operation, results, sources, and
 * in parentheses its PTX count. Errors of the stream are not reported. */
void lir_print(const struct lir_fn *fn, FILE *f) {
    static const char *const pseudo[] = {"ADD64", "SHL64", "EXT64"};
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        fprintf(f, "B%u:", fn->blocks[b]->id);
        for (uint32_t i = 0; i < fn->blocks[b]->n_succ; i++)
            fprintf(f, " ->%u", fn->blocks[b]->succ[i]->id);
        fprintf(f, "\n");
        for (const struct lir_inst *in = fn->blocks[b]->first; in; in = in->next) {
            fprintf(f, "  ");
            if (in->guard) fprintf(f, "@%s%%p%u ", in->guard & 1 ? "!" : "", in->guard >> 1);
            fprintf(f, "%s.%u",
                    in->m.op < MIR_OP_COUNT ? mir_op_name(in->m.op)
                                            : pseudo[in->m.op - MIR_OP_COUNT],
                    in->m.sub);
            if (in->m.flags) fprintf(f, ".f%x", in->m.flags);
            if (in->dst) fprintf(f, " v%u:%u", in->dst, lir_dst_vregs(in));
            for (unsigned i = 0; i < 2; i++)
                if (in->pdst[i]) fprintf(f, " %%p%u", in->pdst[i]);
            fprintf(f, " =");
            for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
                const struct mir_src *s = &in->m.src[i];
                if (s->kind == MIR_SRC_NONE) continue;
                fprintf(f, " %s%s%s", s->mods & MIR_SRC_NEG ? "-" : "",
                        s->mods & MIR_SRC_NOT ? "~" : "", s->mods & MIR_SRC_ABS ? "|" : "");
                if (s->kind == MIR_SRC_REG) fprintf(f, "v%u", in->src[i]);
                if (s->kind == MIR_SRC_IMM) fprintf(f, "%#x", s->value);
                if (s->kind == MIR_SRC_CONST) fprintf(f, "c[%u][%#x]", s->bank, s->value);
            }
            for (unsigned i = 0; i < 3; i++)
                if (in->psrc[i])
                    fprintf(f, " %s%%p%u", in->psrc[i] & 1 ? "!" : "", in->psrc[i] >> 1);
            if (in->m.imm) fprintf(f, " #%d", in->m.imm);
            for (uint32_t i = 0; i < in->n_targets; i++) fprintf(f, " B%u", in->targets[i]->id);
            fprintf(f, "   (%u)\n", in->m.ptx_count);
        }
    }
}
