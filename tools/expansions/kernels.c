/* kernels.c - the rows of forms.def, and the text of kernels that hold one of each; see kernels.h.
 * expansions.c calls write_ptx() and write_cuda() on its one thread. Functions write to `out` and
 * leave its errors to the caller.
 *
 * Loads and stores are volatile and lie at an address of the thread's own: so the compiler neither
 * drops an operand nor computes on the uniform datapath. */
#include "kernels.h"

#include <string.h>

const struct form forms[] = {
#define CONTROL(name, result, operand, number, since, count, n) \
    {name, #result, #operand, number, since, true, SASS_##count, n},
#define FORM(name, result, operand, number, since) \
    {name, #result, #operand, number, since, false, SASS_OTHER, 0},
#include "forms.def"
};
const unsigned num_forms = sizeof forms / sizeof *forms;

const struct function functions[] = {
#define FUNCTION(name, type, number, expression) {name, #type, expression, number},
#include "forms.def"
};
const unsigned num_functions = sizeof functions / sizeof *functions;

/* Writes the kernel of form i, with the instruction or without it. */
static void write_ptx_kernel(FILE *out, unsigned i, bool with) {
    const struct form *f = &forms[i];
    fprintf(out,
            ".visible .entry %s_%u(.param .u64 where) {\n"
            "  .reg .u64 p;\n  .reg .u32 thread;\n  .reg .%s a, b, c;\n  .reg .%s d;\n"
            "  ld.param.u64 p, [where];\n  cvta.to.global.u64 p, p;\n"
            "  mov.u32 thread, %%tid.x;\n  mad.wide.u32 p, thread, 64, p;\n",
            with ? "with" : "without", i, f->operand, f->result);
    for (unsigned o = 0; o < f->operands; o++)
        fprintf(out, "  ld.volatile.global.%s %c, [p+%u];\n", f->operand, 'a' + (int)o, 16 * o);
    if (with) fprintf(out, "  %s d, %.*s;\n", f->name, (int)(3 * f->operands - 2), "a, b, c");
    fprintf(out, "  st.volatile.global.%s [p+48], %s;\n  ret;\n}\n", with ? f->result : f->operand,
            with ? "d" : "a");
}

/* Writes a PTX module with both kernels of each form that `capability` (75, 80 ...) has. */
void write_ptx(FILE *out, unsigned capability) {
    fprintf(out, ".version 9.0\n.target sm_%u\n.address_size 64\n", capability);
    for (unsigned i = 0; i < num_forms; i++) {
        if (forms[i].since > capability) continue;
        write_ptx_kernel(out, i, true);
        write_ptx_kernel(out, i, false);
    }
}

/* Writes the CUDA kernel of function i, with the function or without it. */
static void write_cuda_kernel(FILE *out, unsigned i, bool with) {
    const struct function *f = &functions[i];
    fprintf(out,
            "extern \"C\" __global__ void %s_%u(volatile %s *p) {\n    p += threadIdx.x * 8;\n",
            with ? "with" : "without", i, f->type);
    for (unsigned o = 0; o < f->operands; o++)
        fprintf(out, "    %s %c = p[%u];\n", f->type, 'a' + (int)o, 2 * o);
    fprintf(out, "    p[6] = %s;\n}\n", with ? f->expression : "a");
}

/* Writes CUDA with both kernels of each function. */
void write_cuda(FILE *out) {
    for (unsigned i = 0; i < num_functions; i++) {
        write_cuda_kernel(out, i, true);
        write_cuda_kernel(out, i, false);
    }
}
