/* fuzz_ptx.c - any bytes as PTX: an error in words or a module, never a crash or a hang.
 *
 * With FUZZ_LOWER the text is set into the body of a kernel whose registers and parameters are
 * declared, so that more of it reaches the lowering and all passes after it. */
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
    heddle_err e = ptx_compile(text, all, "fuzz", &options, &module, &diag);
    if (e ? !diag.text[0] || module : !module) abort();
    if (module) mir_module_free(module);
    free(text);
    return 0;
}
