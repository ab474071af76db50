/* register_file.cpp - see register_file.h. */
#include "reference/register_file.h"

namespace reference {

unsigned RegisterFile::wanted(unsigned bank, unsigned warp, const Packet &p, bool reuse) {
    unsigned reads = 0;
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        if (!((bank ? p.odd : p.even) >> slot & 1)) continue;
        if (p.even & p.odd & 1u << slot) sm_.hit(Feature::REGISTER_PAIR);
        const unsigned reg = p.src[slot];
        Kept &kept = kept_[bank][slot];
        if (kept.valid && kept.warp == warp && kept.reg == reg)
            sm_.hit(Feature::REUSE_HIT);
        else
            reads++;
        if (kept.valid && kept.warp != warp) sm_.hit(Feature::REUSE_LOST);
        kept.valid = reuse && p.reuse >> slot & 1;
        kept.warp = warp;
        kept.reg = reg;
    }
    return reads;
}

unsigned RegisterFile::free_cycles(unsigned bank, Cycle first) const {
    unsigned n = 0;
    for (Cycle t = first; t < first + WINDOW; t++) n += !busy_[bank].has(t);
    return n;
}

Cycle RegisterFile::read(unsigned warp, const Packet &p, bool reuse, Cycle issued) {
    unsigned reads[BANKS];
    for (unsigned b = 0; b < BANKS; b++) reads[b] = wanted(b, warp, p, reuse);
    Cycle first = issued + BEFORE;
    while (free_cycles(0, first) < reads[0] || free_cycles(1, first) < reads[1]) first++;
    for (unsigned b = 0; b < BANKS; b++) {
        for (Cycle t = first; reads[b]; t++) {
            if (busy_[b].has(t)) continue;
            busy_[b].take(t);
            reads[b]--;
        }
    }
    const Cycle late = first - issued - BEFORE;
    if (late) sm_.hit(Feature::REGISTER_LATE);
    if (late == 2) sm_.hit(Feature::REGISTER_TWO_LATE);
    return late;
}

void RegisterFile::write(unsigned banks, Cycle at) {
    for (unsigned b = 0; b < BANKS; b++)
        if (banks >> b & 1) written_[b].take(at);
}

bool RegisterFile::writes_wait(unsigned banks, Cycle since, Cycle now) const {
    if (!banks || now - since >= LATEST) return false;
    for (Cycle t = since; t <= now; t++) {
        const bool even = banks & 1 && written_[0].has(t), odd = banks & 2 && written_[1].has(t);
        if (!even && !odd) return false;
    }
    return true;
}

} // namespace reference
