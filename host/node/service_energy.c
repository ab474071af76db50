/* service_energy.c - see service_energy.h. */
#include "node/service_energy.h"

struct service_energy service_energy_of(const struct node_config *c, enum node_design design,
                                        const struct command_processor_counters *n) {
    const bool on_cpu = design_is_on_cpu(design);
    const double awake_ns = (double)n->awake_ps * 1e-3;
    /* W times ns is nJ */
    struct service_energy e = {
        .leakage = (on_cpu ? c->energy_cpu_leakage : c->energy_cp_leakage) * awake_ns,
        .active = (on_cpu ? c->energy_cpu_active : c->energy_cp_active) * awake_ns,
        .instructions = (on_cpu ? c->energy_cpu_instruction : c->energy_cp_instruction) *
                        (double)n->instructions};
    const double at_gpu = (double)(n->loads + n->stores);
    e.caches = c->energy_l2 * at_gpu;
    if (!on_cpu) return e;
    /* A completion is the first sight of a line that the NIC has written. */
    e.caches += c->energy_last_level * (double)n->completions;
    if (design == DESIGN_APU)
        e.caches += c->energy_last_level * at_gpu; /* which it passes on the way */
    else
        e.link = c->energy_tlp * (2.0 * (double)n->loads + (double)n->stores);
    return e;
}
