/* params.h - parameters and class table of the model, set by commands Set and Class. Of `outside`
 * all values that were given count, one for each eight pieces of the lines. */
#ifndef REFERENCE_PARAMS_H
#define REFERENCE_PARAMS_H

#include <cstdint>

#include "core_words.h"
#include "include/heddle_policy.h"

namespace reference {

enum : unsigned { LINE_PIECE_BITS = 23, LINE_PIECES = 512 };

struct Params {
    bool outside_piece[LINE_PIECES] = {};
    std::uint32_t value[CORE_NUM_PARAMS] = {
#define PARAM(number, name, def, text) def,
#include "tables/core_params.def"
#undef PARAM
    };
    std::uint32_t operator[](core_param p) const {
        return value[p];
    }
    void set(unsigned number, std::uint32_t to) {
        value[number] = to;
        if (number == CORE_PARAM_OUTSIDE)
            for (unsigned i = 0; i < 8; i++) outside_piece[to / 256 % 64 * 8 + i] = to >> i & 1;
    }
    /* The line is in memory outside the GPU. */
    bool outside(std::uint32_t line) const {
        return outside_piece[line >> LINE_PIECE_BITS];
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
    heddle_policy policy = {}; /* of plug-ins; NULL where the model's own holds */
    bool every_cycle = false;  /* step through all, instead of from one event to the next */
};

} // namespace reference

#endif
