/* run_ptx.h - compiles PTX and runs a kernel of it on the executor, for tests. */
#ifndef TEST_RUN_PTX_H
#define TEST_RUN_PTX_H

#include "exec/exec.h"
#include "ptx/ptx.h"
#include "ptx/ir/ptx_control.h"

enum { RUN_MEMORY = 1 << 20 };

struct run {
    struct mir_module *module;
    struct exec_memory memory;
    uint8_t *base;      /* RUN_MEMORY bytes that the kernel may use */
    uint8_t *symbols;   /* where .global variables begin, inside base */
    uint8_t *bank_user; /* .const variables */
    uint64_t *addresses;
    unsigned checks; /* EXEC_CHECK_* of the kernels to be run */
    struct exec_counts counts;
    struct exec_special *special; /* [num_special] of the last kernel, by the function's list */
    uint32_t num_special;
    struct exec_fault fault;
    struct heddle_diag diag;
};

/* Compiles text (options NULL: the defaults), verifies the control information of every kernel, and
 * prepares memory; fails the test with the compiler's message if it does not compile. */
void run_open(struct run *r, const char *text, const struct ptx_options *options);
void run_close(struct run *r);
const struct mir_function *run_function(const struct run *r, const char *name);
/* Runs kernel `name` with `bytes` of parameters. Returns the executor's verdict. */
heddle_err run_kernel(struct run *r, const char *name, unsigned grid, unsigned block,
                      const void *params, unsigned bytes, unsigned dynamic_shared);

/* Writes PTX for sm_70 of a kernel k(a, n): it loads `loads` words of a column, n words apart,
 * computes each address from the previous one, and stores the words to shared memory, `apart` bytes
 * from each other. */
void run_column_text(char *text, unsigned loads, unsigned apart);

/* The beginning of a module, and registers for a kernel. */
#define RUN_HEAD                                     \
    ".version 7.7\n.target sm_70\n.address_size 64 " \
    ".shared .align 16 .b8 sh[256];\n"
#define RUN_REGS                                                                                  \
    ".reg .pred %p<20>; .reg .b16 %h<20>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<20>;" \
    ".reg .f64 %fd<20>;\n"

/* The kernel's code, one instruction per line, without control information. Valid until the next
 * call. */
const char *run_listing(const struct mir_function *f);
/* Fails the test where results of optimised and plain code, `words` words of each thread, differ;
 * `what`: of which code. */
void run_expect_same(const void *optimised, const void *plain, unsigned threads, unsigned words,
                     const char *what);
/* How many instructions have the operation. */
unsigned run_count(const struct mir_function *f, mir_op op);

#endif
