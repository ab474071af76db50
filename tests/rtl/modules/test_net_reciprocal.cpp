/* test_net_reciprocal.cpp - rtl/l2/net_reciprocal.sv: with each reciprocal, the product is the
 * quotient, for every divisor. */
#include "Vnet_reciprocal.h"
#include "module_bench.h"

using Bench = ModuleBench<Vnet_reciprocal>;

static void divide(Bench &b, unsigned kind, unsigned by) {
    b.v.start_i = 1;
    b.v.kind_i = kind;
    b.v.by_i = by;
    b.tick();
    b.v.start_i = 0;
    unsigned clocks = 0;
    for (; b.v.busy_o; clocks++) b.tick();
    if (clocks != (kind == 0 ? 31 : kind == 1 ? 21 : 17)) b.fail("%u clocks", clocks);
}

/* x / by is the product of x with the reciprocal of so many bits. */
static void check(Bench &b, uint64_t x, unsigned by, uint64_t inverse, unsigned bits) {
    if ((x * inverse) >> (bits - 1) != x / by) b.fail("%llu / %u", (unsigned long long)x, by);
}

int main() {
    Bench b(1);
    for (unsigned by = 1; by < 96; by += 2) { /* of 23 bits by at most 7 */
        divide(b, 0, by);
        if (b.v.slice_wrap_o != 65536 % by) b.fail("65536 modulo %u", by);
        for (uint32_t i = 0; i < 20000; i++) {
            const uint64_t x = i % 2 ? b.bits(23) : b.bits(23) / by * by + by - 1;
            check(b, x & 0x7fffff, by, b.v.slice_inv_o, 31);
        }
    }
    for (unsigned by = 1; by < 1024; by++) {
        divide(b, 1, by);
        for (uint32_t x = 0; x < 1024; x++) check(b, x, by, b.v.set_inv_o, 21);
    }
    for (unsigned by = 1; by < 256; by++) {
        divide(b, 2, by);
        for (uint32_t x = 0; x < 256; x++) check(b, x, by, b.v.instance_inv_o, 17);
    }
    divide(b, 0, 0); /* ends, with anything */
    printf("net_reciprocal: passed\n");
    return 0;
}
