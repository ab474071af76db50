/* outside.cpp - see outside.h. */
#include "tests/rtl/reference/outside.h"

#include <algorithm>
#include <stdexcept>

namespace reference {

/* ------------------------------------------------------------------------------ the stream */

/* Which of the lines that a stream has are moved, and to which piece: of those with the same low
 * bits all or none, so that a line is moved wherever it is named. */
static std::uint32_t moved(std::uint32_t line, const unsigned *pieces, unsigned parts) {
    const unsigned hash = (line * 2654435761u) >> 24;
    if (hash % 4 >= parts) return line;
    return (line & ((1u << LINE_PIECE_BITS) - 1)) | pieces[hash / 4 % 4] << LINE_PIECE_BITS;
}

void add_outside(Stream &stream) {
    Random r(stream.seed ^ 0x6f757473696465u);
    if (r.chance(50)) return;
    unsigned pieces[4];
    for (unsigned &p : pieces) p = r.between(1, LINE_PIECES - 1);
    const unsigned inside = r.below(4), parts = r.between(1, 4);
    std::uint32_t outside[LINE_PIECES / 8] = {};
    for (unsigned i = 0; i < 4; i++)
        if (i != inside) outside[pieces[i] / 8] |= 1u << pieces[i] % 8;
    for (bool some : {false, true})
        for (unsigned i = 0; i < LINE_PIECES / 8; i++)
            if ((outside[i] != 0) == some)
                stream.params.push_back({CORE_PARAM_OUTSIDE, i << 8 | outside[i]});
    for (Phase &p : stream.phases)
        for (CtaProgram &c : p.ctas)
            for (WarpProgram &w : c.warps)
                for (Item &i : w.items)
                    for (std::uint64_t &word : i.lines)
                        core_line_set_addr(&word, moved(core_line_addr(&word), pieces, parts));
}

/* ------------------------------------------------------------------------------ the bench */

/* The words of requests and replies with the same fields: those of an event Request are packed into
 * the event (request_event()). */
void OutsideHost::request(const Event &e, Cycle at) {
    Random r(stream_.seed ^ (std::uint64_t)e.at << 32 ^ (std::uint64_t)e.addr << 8 ^ e.sm);
    const Cycle spread = r.chance(50) ? r.below(8) : r.below(2000);
    const Cycle way = std::max<Cycle>(params_[CORE_PARAM_NET_REQUEST] +
                                          params_[CORE_PARAM_NET_REPLY],
                                      params_[CORE_PARAM_LOOKAHEAD]);
    /* often at the same time as others */
    const Cycle arrival = r.chance(50) ? at + way + spread : (at + way + spread) / 16 * 16 + 16;
    if (!pending_.insert({{arrival, e.sm, e.warp, e.addr, e.at, e.id}, e}).second)
        throw std::runtime_error("two requests of an SM at one time");
}

/* Answers that arrive at the same time have different numbers of slices. */
void OutsideHost::give(Cycle before) {
    for (; !pending_.empty() && std::get<0>(pending_.begin()->first) < before;
         pending_.erase(pending_.begin())) {
        const Cycle at = std::get<0>(pending_.begin()->first);
        const Event &e = pending_.begin()->second;
        const RequestId id = unpack_id(e.id);
        std::uint64_t w[2] = {};
        number_ = at == last_ ? number_ + 1 : 0;
        last_ = at;
        if (number_ >= 256 - CORE_FIRST_OUTSIDE)
            throw std::runtime_error("too many answers at one time");
        core_remote_set_at(w, at);
        core_remote_set_kind(w, CORE_EV_REPLY);
        core_remote_set_sm(w, e.sm);
        core_remote_set_warp(w, e.warp);
        core_remote_set_bar(w, id.bar);
        core_remote_set_mshr(w, id.mshr);
        core_remote_set_cached(w, id.cached);
        core_remote_set_slice(w, CORE_FIRST_OUTSIDE + number_);
        core_remote_set_sectors(w, id.kind == CORE_REQ_WRITE || id.bar == STORES ? 0 : e.sectors);
        give_word(w);
    }
}

} // namespace reference
