/* test_sm_classes.cpp - rtl/sm/sm_classes.sv: a row has the value that it was given last. */
#include "Vsm_classes.h"
#include "module_bench.h"

enum { ROWS = 64 };

static void run(uint32_t seed, unsigned set) {
    ModuleBench<Vsm_classes> b(seed);
    uint32_t row[ROWS];
    bool known[ROWS] = {};
    for (int i = 0; i < 20000; i++) {
        b.v.set_i = b.chance(set);
        b.v.number_i = (uint8_t)b.pick(ROWS);
        b.v.value_i = (uint32_t)b.bits(32);
        b.v.loo_cls_i = (uint8_t)b.pick(ROWS);
        b.v.rdy_cls_i = (uint8_t)b.pick(ROWS);
        b.settle();
        if (known[b.v.loo_cls_i]) b.expect("in look", b.v.loo_class_o, row[b.v.loo_cls_i]);
        if (known[b.v.rdy_cls_i]) b.expect("in ready", b.v.rdy_class_o, row[b.v.rdy_cls_i]);
        if (b.v.set_i) {
            row[b.v.number_i] = b.v.value_i;
            known[b.v.number_i] = true;
        }
        b.tick();
    }
}

int main() {
    run(1, 100);
    run(2, 30);
    printf("sm_classes: passed\n");
    return 0;
}
