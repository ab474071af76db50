/* ptx.h - PTX text to MIR: the whole front end.
 *
 * ptx_compile parses and checks a module, and places its variables. Then it lowers every kernel,
 * or each one when it is first used, optimises it, allocates registers, schedules, and adds Volta's
 * control information. Stateless: any number of compilations may run at the same
 * time on different threads. */
#ifndef PTX_PTX_H
#define PTX_PTX_H

#include <stddef.h>

#include "common/error.h"
#include "mir/mir.h"

struct ptx_options {
    uint32_t max_regs;         /* per thread, upper limit; 0: 255 or what the launch bounds say */
    uint32_t registers_per_sm; /* what launch bounds divide; 65,536 */
    uint32_t subcores;         /* of an SM, which share its registers evenly */
    uint32_t warps_per_sm, shared_per_sm; /* at most; bytes */
    uint32_t capability; /* of the GPU: 70 for 7.0; decides the forms of some operations */
    /* Latency of each class, cycles from issue to result, for the stall counts; a variable class's
     * entry only orders instructions. */
    uint8_t latency[MIR_CLASS_COUNT];
    uint8_t interval[MIR_CLASS_COUNT]; /* cycles of the pipe for an instruction; 0: not known */
    uint8_t predicate_latency;         /* comparison to use of its predicate */
    /* Added for what reads a result of the integer or FMA pipe elsewhere: in the other of the two,
     * in SFU's queue, in the memory pipe. */
    uint8_t crossing, to_sfu, to_memory;
    bool linked; /* the text was joined of several (parse/ptx_link.h), so that a function may have
                  * another linkage where it is declared, or be declared behind its definition */
    bool no_optimize; /* keep the code as lowered (tests) */
    bool on_demand;   /* kernels have no code until mir_module_compile() */
    const char *only; /* compile this kernel alone; NULL: all */
    const char *hint; /* stands behind messages about what is not supported; NULL: nothing. Stays as
                       * long as kernels are compiled */
    bool dump_lir;    /* debugging: every stage on stderr */
};

/* V100's latencies. */
void ptx_options_default(struct ptx_options *o);

/* Compiles text[0..len); `name` stands in messages. *out is the caller's, freed by
 * mir_module_free(); NULL on error, when diag (may be NULL) says what and where.
 * @return HEDDLE_OK, HEDDLE_ERR_PTX_SYNTAX, _PTX_UNSUPPORTED, _PTX_RESOURCES. */
heddle_err ptx_compile(const char *text, size_t len, const char *name,
                       const struct ptx_options *options, struct mir_module **out,
                       struct heddle_diag *diag);

#endif
