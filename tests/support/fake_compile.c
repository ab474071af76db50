/* fake_compile.c - no front end: every module is refused. */
#include "cli/compile.h"

heddle_err compile_ptx(const struct config *config, struct mir_module **out, const char *text,
                       size_t bytes, const char *name, struct heddle_diag *diag) {
    (void)config, (void)out, (void)text, (void)bytes;
    return heddle_fail(diag, HEDDLE_ERR_PTX_UNSUPPORTED, "%s: no front end in this build", name);
}

/* Nothing is ever compiled. */
__attribute__((weak)) int mir_print_inst(char *out, size_t size, const struct mir_inst *inst,
                                         bool control) {
    (void)inst, (void)control;
    if (size) *out = '\0';
    return 0;
}
