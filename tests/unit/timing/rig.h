/* rig.h - the tests of this folder run on a rig: a simulated GPU on the fake timing core, or, where
 * EMULATION is defined, on the real one, in one placement of many, with device memory and the
 * kernels of KERNELS, a file of PTX. */
#ifndef HEDDLE_TESTS_TIMING_RIG_H
#define HEDDLE_TESTS_TIMING_RIG_H

#include "common/config.h"
#include "sched/gpu.h"

/* Settings that must not change a result. 0: the default. */
struct placement {
    unsigned groups, threads, window, packets, run_ahead, delay_seed;
    bool overlap; /* two runs of a core are under way */
};
/* All placements that the tests use; the first one is the simplest. */
extern const struct placement placements[];
extern const unsigned num_placements;

enum { RIG_MEMORY = 4 << 20, RIG_KERNEL_ERROR = 1 };

struct rig {
    struct placement placement;
    struct config *config;
    struct exec_memory memory;
    uint8_t *mapped, *bytes; /* device memory */
    uint64_t used;
    struct mir_module *module;
    struct gpu *gpu;
    uint64_t now_ps;   /* the host's clock */
    const void *owner; /* of launches; NULL: the rig */
};

/* `sets`: further "KEY=VALUE", NULL at the end; may be NULL. Fails the test when something goes
 * wrong, as all below. */
void rig_create(struct rig *r, const struct placement *p, const char *const *sets);
/* The same for one GPU of several of a system (sched/system.h), borrowed; NULL: of its own. */
void rig_create_in(struct rig *r, const struct placement *p, const char *const *sets,
                   struct system *system, unsigned number);
void rig_free(struct rig *r);

void *rig_alloc(struct rig *r, uint64_t bytes);
/* Launches a kernel with `count` parameters of 8 or 4 bytes: pointers first, then words. */
struct rig_args {
    const void *pointer[4];
    uint32_t num_words, word[2];
};
gpu_ticket rig_launch(struct rig *r, uint32_t stream, const char *kernel, uint32_t ctas,
                      uint32_t threads, const struct rig_args *args);
/* Waits for the ticket and sets the host's clock to its end. */
void rig_wait(struct rig *r, gpu_ticket t);
void rig_wait_all(struct rig *r);

/* Returns a hash of all that a placement must not change: memory, records, the host's clock,
 * counters. */
uint64_t rig_hash(const struct rig *r);
/* Runs `body` in every placement and compares rig_hash() and what body returns. */
void rig_everywhere(const char *const *sets, uint64_t (*body)(struct rig *r));

uint64_t rig_mix(uint64_t hash, uint64_t x);

enum { FAKE_WAIT = 3 }; /* cycles that fake_core.c says that a waiting instruction has waited */
/* In fake_core.c: the value to which a parameter of the timing core was set last. */
uint32_t fake_core_param(uint32_t number);

#endif
