/* test_sm_numbers.cpp - rtl/sm/sm_numbers.sv where there are several SM engines: SM n here is the
 * GPU's n * instances + instance. */
#include "Vsm_numbers.h"
#include "core_words.h"
#include "module_bench.h"

enum { SM_BITS = 6 };

static void run(uint32_t seed) {
    ModuleBench<Vsm_numbers> b(seed);
    unsigned sms = 80, instances = 1, instance = 0;
    for (int i = 0; i < 3000; i++) {
        b.v.sm_i = (uint8_t)b.pick(256 / instances);
        b.settle();
        /* SMs 0 to sms - 1 of the GPU: the last one here, or the one behind it */
        const unsigned last = (sms - 1) / instances;
        b.expect("last", b.v.last_sm_o, last % (1 << SM_BITS));
        b.expect("step", b.v.step_o, 1);
        b.expect("first", b.v.first_o, 0);
        b.expect("number", b.v.sm_o, b.v.sm_i * instances + instance);
        static const unsigned ids[] = {CORE_PARAM_NUM_SM, CORE_PARAM_INSTANCES,
                                       CORE_PARAM_INSTANCE};
        const unsigned id = b.chance(70) ? ids[b.pick(3)] : 200 + b.pick(1000);
        b.v.set_i = b.chance(60);
        b.v.id_i = (uint16_t)id;
        b.v.value_i = id == CORE_PARAM_NUM_SM      ? 1 + b.pick(160)
                      : id == CORE_PARAM_INSTANCES ? 1u << b.pick(6)
                                                   : b.pick(instances);
        if (b.v.set_i && id == CORE_PARAM_NUM_SM) sms = b.v.value_i;
        if (b.v.set_i && id == CORE_PARAM_INSTANCE) instance = b.v.value_i;
        if (b.v.set_i && id == CORE_PARAM_INSTANCES) instances = b.v.value_i;
        b.tick();
        if (instance < instances) continue;
        b.v.set_i = 1; /* the host says which one this is */
        b.v.id_i = CORE_PARAM_INSTANCE;
        b.v.value_i = instance = b.pick(instances);
        b.tick();
        b.v.set_i = 0;
    }
}

int main() {
    for (uint32_t seed = 1; seed <= 4; seed++) run(seed);
    printf("sm_numbers: passed\n");
    return 0;
}
