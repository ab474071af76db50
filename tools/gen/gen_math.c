/* gen_math.c - prints docs/device-math.md from include/device/device_math.def to standard output.
 * The build makes it; a test runs it and compares its output with the page. */
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

/* Prints the page: a row for each function, between fixed texts. */
int main(void) {
    puts(
        "# Math functions in device code\n"
        "\n"
        "Made from `include/device/device_math.def` by `gen_math`; a test fails when page and\n"
        "table differ.\n"
        "\n"
        "Bounds are in ulp of the exact result; 0 means exact or correctly rounded. Each bound is\n"
        "the smallest that any version of CUDA's programming guide states. This is version 11's,\n"
        "except for six float functions with lower bounds, which could not be checked in a guide\n"
        "(the table's head names them). NVIDIA's bounds come from tests, not from proofs, and so\n"
        "do these: `device.math` runs every row on the simulated GPU, compares it with MPFR and\n"
        "prints the largest error found (`ctest -R device.math -V`; `device.math_many` tests more\n"
        "points). The bound of `lgamma` does not hold near its zeros below -2.26; there the test\n"
        "takes the ulp of 1.\n"
        "\n"
        "`NAMEf` is the float function. `NAME` is the double function, with overloads for floats\n"
        "and integers as in C++. Most names are in `std` too.\n"
        "\n"
        "| function | operands | float | double |\n"
        "|---|---|---|---|");
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        printf("| `%s` | %d | %g | %g |\n", rows[r].name, rows[r].operands, rows[r].f32,
               rows[r].f64);
    }
    puts("\n"
         "Also present, with the same tests: `sincos` (2 ulp, 1 in double), `frexp`, `ldexp`,\n"
         "`scalbn`, `scalbln`, `modf`, `remquo`, `ilogb`, `lrint`, `llrint`, `lround`, `llround`\n"
         "(exact). `sincospi`, `powi` and `nan` are made of the functions above; `isnan`, "
         "`isinf`,\n"
         "`isfinite` and `signbit` are the compiler's.\n"
         "\n"
         "Missing: Bessel functions, `erfcinv`, `normcdfinv`, and `norm` and `rnorm` of an array.");
    return 0;
}
