/* power.c - the energy of a launch; contracts in power.h. report_power.c calls it for each launch
 * and sum that a report shows, on the thread that writes the report.
 *
 * Voltage: dynamic energy is proportional to its square, static power to itself, as in AccelWattch.
 * The voltage follows clock.core on a straight line that does not go below power.voltage_least.
 * Device memory, the links and the constant part have supplies of their own. */
#include "report/power.h"

#include <math.h>
#include <string.h>

#include "report/report_internal.h"

const struct power_unit_row power_unit_rows[POWER_UNITS] = {
#define POWER_UNIT(id, name, meaning) {name, meaning},
#include "tables/power.def"
};

bool power_known(const struct config *c) {
    return strcmp(c->power_model, "none") != 0;
}

double power_voltage(const struct config *c) {
    const double v = 1 + c->power_voltage_slope * (c->clock_core_mhz / c->power_clock - 1);
    return fmax(v, c->power_voltage_least);
}

double power_idle_watts(const struct config *c) {
    return c->power_constant + power_voltage(c) * c->power_idle_sm * (double)c->sm_count;
}

/* Sectors that stores and atomics send to L2. */
static uint64_t stores_of(const struct gpu_kernel_record *k) {
    return k->access_sectors[EXEC_ACCESS_GLOBAL_STORE] +
           k->access_sectors[EXEC_ACCESS_LOCAL_STORE] + k->access_sectors[EXEC_ACCESS_ATOMIC];
}

/* Those of them that L2 serves: stores to the host's memory pass it by. */
static uint64_t l2_writes_of(const struct gpu_kernel_record *k) {
    const uint64_t stores = stores_of(k);
    return stores < k->l2_accesses ? stores : k->l2_accesses;
}

/* Static energy in J of the SMs. Those with CTAs of the launch have lanes that are active on
 * average, and tensor units that are busy for a share of the time. */
static double static_joules(const struct config *c, const struct gpu_kernel_record *k) {
    const double hz = c->clock_core_mhz * 1e6, cycles = (double)k->cycles;
    const double all = cycles * (double)c->sm_count, busy = fmin((double)k->sm_cycles, all);
    const double tensor = (double)k->pipe_cycles[MIR_PIPE_TENSOR] / (double)c->sm_subcores;
    double lanes = 1;
    if (k->warp_inst) lanes = fmax(1, (double)mir_all_kinds(k->thread_inst) / (double)k->warp_inst);
    const double active = c->power_static_first + c->power_static_lane * (lanes - 1);
    return power_voltage(c) / hz *
           (busy * active + fmin(tensor, busy) * c->power_static_tensor +
            (all - busy) * c->power_idle_sm);
}

bool power_of(const struct config *c, const struct gpu_kernel_record *k, struct power *out) {
    *out = (struct power){.energy_nj = 0};
    if (!power_known(c) || k->untimed || k->estimated || !k->cycles) return false;
    const double voltage = power_voltage(c);
    const double supply_CORE = voltage * voltage, supply_OWN = 1;
    double joules[POWER_UNITS] = {0};
    out->seconds = (double)k->cycles / (c->clock_core_mhz * 1e6);
    joules[POWER_UNIT_CONSTANT] = c->power_constant * out->seconds;
    joules[POWER_UNIT_STATIC] = static_joules(c, k);
#define OF(kind) (double)k->thread_inst[MIR_KIND_##kind]
#define FLOP(type) (double)mir_operation_count(k->thread_inst, MIR_OPERATION_##type)
#define POWER_EVENT(coefficient, unit, supply, count) \
    joules[POWER_UNIT_##unit] += (double)(count)*c->power_##coefficient * supply_##supply * 1e-12;
#include "tables/power.def"
    for (unsigned u = 0; u < POWER_UNITS; u++) {
        out->unit_nj[u] = (uint64_t)llround(joules[u] * 1e9);
        out->energy_nj += out->unit_nj[u];
    }
    return true;
}

void power_add(struct power *a, const struct power *b) {
    for (unsigned u = 0; u < POWER_UNITS; u++) a->unit_nj[u] += b->unit_nj[u];
    a->energy_nj += b->energy_nj;
    a->seconds += b->seconds;
}

double power_watts(const struct power *p) {
    return p->seconds > 0 ? (double)p->energy_nj * 1e-9 / p->seconds : NAN;
}
