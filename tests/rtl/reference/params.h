/* params.h - parameters and class table of the model, set by commands Set and Class. */
#ifndef REFERENCE_PARAMS_H
#define REFERENCE_PARAMS_H

#include <cstdint>

#include "core_words.h"

namespace reference {

struct Params {
    std::uint32_t value[CORE_NUM_PARAMS] = {
#define PARAM(number, name, def, text) def,
#include "tables/core_params.def"
#undef PARAM
    };
    std::uint32_t operator[](core_param p) const {
        return value[p];
    }
};

struct Class {
    unsigned latency, interval, pipe;
    bool blocking, sleeping, ports, reuse;
};

/* What all parts of the model look at; filled before the first cycle. */
struct Config {
    Params params;
    Class cls[64] = {};
};

} // namespace reference

#endif
