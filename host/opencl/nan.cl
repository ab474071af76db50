/* nan.cl - nan(), for which libclc 14 gives infinity if the code is 0: quiet NaNs that have it. */
#define FUNCTION __attribute__((overloadable, always_inline))
#define NAN_OF(real, code, quiet)                \
    real FUNCTION nan(code c) {                  \
        return as_##real(c | (code)quiet);       \
    }
#define NANS(real, code, quiet)                                                                \
    NAN_OF(real, code, quiet) NAN_OF(real##2, code##2, quiet) NAN_OF(real##3, code##3, quiet) \
    NAN_OF(real##4, code##4, quiet) NAN_OF(real##8, code##8, quiet)                            \
    NAN_OF(real##16, code##16, quiet)
NANS(float, uint, 0x7fc00000u)
NANS(double, ulong, 0x7ff8000000000000ul)
