/* power.h - the energy that a launch takes: its events by their energies, and static power by its
 * time (docs/power.md). tables/power.def has the events, the GPU's file the coefficients (power.*).
 *
 * Everything is derived from the record of a launch, or of the sum of several, and from the GPU's
 * parameters; so it depends on target time alone. Energies are whole nJ, and those of the units add
 * up to the launch's. A sum counts as one launch, whose warps have the launches' mean number of
 * active lanes. Pure functions; any thread. */
#ifndef HEDDLE_REPORT_POWER_H
#define HEDDLE_REPORT_POWER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/config.h"
#include "sched/gpu.h"

/* Parts of the GPU. */
enum power_unit {
#define POWER_UNIT(id, name, meaning) POWER_UNIT_##id,
#include "tables/power.def"
    POWER_UNITS
};
struct power_unit_row {
    const char *name, *meaning;
};
extern const struct power_unit_row power_unit_rows[POWER_UNITS];

/* What a launch, or several, took. */
struct power {
    uint64_t unit_nj[POWER_UNITS];
    uint64_t energy_nj; /* of all units */
    double seconds;     /* target time of the launches, their overhead included */
};

/* *out: of a launch or a sum. @return false: it is not known, because the GPU has no coefficients,
 * or the core did not count (all of) it; *out is then 0. */
bool power_of(const struct config *c, const struct gpu_kernel_record *k, struct power *out);
/* Adds b to *a. */
void power_add(struct power *a, const struct power *b);
/* Average power in W; NAN for no time. */
double power_watts(const struct power *p);

/* The core's voltage at clock.core, by that at power.clock. The GPU has coefficients. */
double power_voltage(const struct config *c);
/* Power in W without any kernel: constant, and SMs without CTAs. Likewise. */
double power_idle_watts(const struct config *c);
/* Whether the GPU has coefficients. */
bool power_known(const struct config *c);

#endif
