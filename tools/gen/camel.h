/* camel.h - names of the tables as SystemVerilog writes them. */
#ifndef HEDDLE_GEN_CAMEL_H
#define HEDDLE_GEN_CAMEL_H

#include <ctype.h>
#include <stddef.h>

/* "net_request" -> "NetRequest", "FP32" -> "Fp32", at most 63 characters, in a static buffer: valid
 * until the next call. */
static inline const char *camel(const char *s) {
    static char out[64];
    size_t n = 0;
    int up = 1;
    for (; *s && n < sizeof out - 1; s++) {
        if (*s == '_') {
            up = 1;
            continue;
        }
        out[n++] = (char)(up ? toupper((unsigned char)*s) : tolower((unsigned char)*s));
        up = 0;
    }
    out[n] = 0;
    return out;
}

#endif
