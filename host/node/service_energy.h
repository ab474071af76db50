/* service_energy.h - the energy of the service threads of a node, from what they have done.
 *
 * A thread leaks and clocks as long as it polls. Each instruction costs, its first cache included;
 * what leaves the core costs by where it goes. Energy of GPU, NIC and network is not counted: it is
 * the same in all designs. A pure function. */
#ifndef HEDDLE_NODE_SERVICE_ENERGY_H
#define HEDDLE_NODE_SERVICE_ENERGY_H

#include "node/command_processor.h"

/* Where the service threads run that carry out the commands of kernels. */
enum node_design {
    DESIGN_COMPNET, /* on the GPU's command processor, which shares its L2 */
    DESIGN_APU,     /* on the CPU, which shares coherent memory with the GPU */
    DESIGN_DGPU,    /* on the CPU, across the link to the GPU */
    /* Nowhere: kernels have no network, and programs send by MPI, */
    DESIGN_INTER_KERNEL, /* between kernels, */
    DESIGN_CPU,          /* or compute on the CPU themselves. */
};

/* Energies in nJ. */
struct service_energy {
#define ENERGY(member, meaning) double member;
#include "tables/service_energy.def"
};
static inline bool design_is_on_cpu(enum node_design design) {
    return design == DESIGN_APU || design == DESIGN_DGPU;
}
struct service_energy service_energy_of(const struct node_config *config, enum node_design design,
                                        const struct command_processor_counters *counters);

#endif
