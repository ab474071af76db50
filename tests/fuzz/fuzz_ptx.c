/* fuzz_ptx.c - the PTX compiler on any bytes: it returns a module, or an error with a message, and
 * never crashes or hangs.
 *
 * With FUZZ_LOWER the input is the body of a kernel with declared registers and parameters, so that
 * more of it reaches the lowering and all later passes. */
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef FUZZ_LOWER
static const char head[] =
    ".version 7.5\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u32 n, .param .f32 x)\n{\n"
    ".reg .pred %p<6>;\n.reg .b16 %h<6>;\n.reg .b32 %r<12>;\n.reg .b64 %rd<8>;\n"
    ".reg .f32 %f<8>;\n.reg .f64 %fd<6>;\n.shared .align 8 .b8 tile[256];\n"
    ".local .align 8 .b8 own[64];\nld.param.u64 %rd1, [out];\nld.param.u32 %r1, [n];\n"
    "ld.param.f32 %f1, [x];\n";
static const char tail[] = "\nret;\n}\n";
#else
static const char head[] = "", tail[] = "";
#endif

/* Called by libFuzzer for each input (at most 64 KiB): compiles it between `head` and `tail`.
 * Aborts when an error has no message, or when success gives no module. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { MOST = 1 << 16 };
    if (size > MOST) return 0;
    size_t before = sizeof head - 1, after = sizeof tail - 1, all = before + size + after;
    char *text = malloc(all + 1);
    if (!text) abort();
    memcpy(text, head, before);
    memcpy(text + before, data, size);
    memcpy(text + before + size, tail, after);
    text[all] = 0;

    struct ptx_options options;
    struct mir_module *module = NULL;
    struct heddle_diag diag = {0};
    ptx_options_default(&options);
    options.on_demand = true; /* a kernel that fails leaves the others as they are */
    heddle_err e = ptx_compile(text, all, "fuzz", &options, &module, &diag);
    if (e ? !diag.text[0] || module : !module) abort();
    free(text); /* the module needs it no more */
    for (uint32_t i = 0; module && i < module->num_functions; i++) {
        diag.text[0] = '\0';
        e = mir_module_compile(module, i, &diag);
        if (e ? !diag.text[0] || module->functions[i].code : !module->functions[i].code) abort();
    }
    mir_module_free(module);
    return 0;
}
