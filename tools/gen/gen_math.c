/* gen_math.c - prints docs/device-math.md from include/device/device_math.def. A test compares its
 * output with the page. */
#include <stdio.h>

/* A function: bounds of its error in ulp, for float and double. */
static const struct row {
    const char *name;
    int operands;
    double f32, f64;
} rows[] = {
#define M1(name, f32, f64) {#name, 1, f32, f64},
#define M2(name, f32, f64) {#name, 2, f32, f64},
#define M3(name, f32, f64) {#name, 3, f32, f64},
#define M4(name, f32, f64) {#name, 4, f32, f64},
#include "device_math.def"
};

int main(void) {
    puts(
        "# Math functions in device code\n\n"
        "Made from `include/device/device_math.def` by `gen_math`. Bounds are in ulp of the exact\n"
        "result; 0 is exact or correctly rounded. Each is the smallest that a version of CUDA's\n"
        "programming guide states: version 11's, but for six floats with lower bounds than could\n"
        "be checked (named in the table's head). NVIDIA's bounds come from tests, not from proofs, "
        "and so do\n"
        "ours: `device.math` runs every row on the simulated GPU, compares it with MPFR and "
        "prints\n"
        "the largest error found (`ctest -R device.math -V`; `device.math_many`: more points).\n"
        "The bound of `lgamma` does not hold near its zeros below -2.26: there the test takes the\n"
        "ulp of 1.\n\n"
        "`NAMEf` takes and gives floats; `NAME` doubles, and floats or integers as in C++; most\n"
        "names are in `std` too.\n\n"
        "| function | operands | float | double |\n|---|---|---|---|");
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        printf("| `%s` | %d | %g | %g |\n", rows[r].name, rows[r].operands, rows[r].f32,
               rows[r].f64);
    }
    puts("\nAlso there, with the same tests: `sincos` (2 ulp, 1 in double), `frexp`, `ldexp`, "
         "`scalbn`,\n"
         "`scalbln`, `modf`, `remquo`, `ilogb`, `lrint`, `llrint`, `lround`, `llround` (exact). "
         "Made\n"
         "of the above: `sincospi`, `powi`, `nan`; `isnan`, `isinf`, `isfinite` and `signbit` are\n"
         "the compiler's.\n\n"
         "Not there: Bessel functions, `erfcinv`, `normcdfinv`, `norm` and `rnorm` of an array.");
    return 0;
}
