/* float_bits.h - converts floats to and from their bits, for references of tests. The executor has
 * the like in exec/warp/ieee.h; a reference shares no code with what it checks. */
#ifndef TESTS_SUPPORT_FLOAT_BITS_H
#define TESTS_SUPPORT_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

static inline float f32(uint64_t u) { /* from the low word */
    uint32_t w = (uint32_t)u;
    float f;
    memcpy(&f, &w, 4);
    return f;
}
static inline uint32_t bits32(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}
static inline double f64(uint64_t u) {
    double f;
    memcpy(&f, &u, 8);
    return f;
}
static inline uint64_t bits64(double f) {
    uint64_t u;
    memcpy(&u, &f, 8);
    return u;
}

#endif
