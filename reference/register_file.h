/* register_file.h - rule 12: two banks of registers, each read and written once a cycle; the reuse
 * cache. */
#ifndef REFERENCE_REGISTER_FILE_H
#define REFERENCE_REGISTER_FILE_H

#include "reference/sm_state.h"

namespace reference {

/* Cycles that are taken, all of them less than SIZE apart from any that is asked for. */
template <unsigned SIZE> class TakenCycles {
  public:
    void take(Cycle t) { stamp_[t % SIZE] = t + 1; }
    bool has(Cycle t) const { return stamp_[t % SIZE] == t + 1; }

  private:
    Cycle stamp_[SIZE] = {};
};

class RegisterFile {
  public:
    explicit RegisterFile(SmState &sm) : sm_(sm) {}
    /* An instruction of the warp issues. @return how many cycles its operands are late. */
    Cycle read(unsigned warp, const Packet &p, bool reuse, Cycle issued);
    /* A result of fixed latency will be written to these banks at `at`, in the future. */
    void write(unsigned banks, Cycle at);
    /* A result that came at `since` has not found the banks free up to `now`. */
    bool writes_wait(unsigned banks, Cycle since, Cycle now) const;

  private:
    static constexpr unsigned BANKS = 2, SLOTS = 3, WINDOW = 3;
    static constexpr Cycle BEFORE = 2; /* from the issue to the first cycle of its window */
    static constexpr Cycle LATEST = 3; /* a result waits for no longer */
    struct Kept {
        bool valid = false;
        unsigned warp = 0, reg = 0; /* as in a packet */
    };
    /* How many registers the bank is asked for; what is kept changes. */
    unsigned wanted(unsigned bank, unsigned warp, const Packet &p, bool reuse);
    unsigned free_cycles(unsigned bank, Cycle first) const;

    SmState &sm_;
    TakenCycles<16> busy_[BANKS]; /* the port is taken; the next window begins behind the last */
    Kept kept_[BANKS][SLOTS];
    TakenCycles<64> written_[BANKS]; /* results of fixed latency; 29 and a few cycles ahead */
};

} // namespace reference

#endif
