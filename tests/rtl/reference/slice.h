/* slice.h - rule 9: one L2 slice with its request queue and its reply port. */
#ifndef REFERENCE_SLICE_H
#define REFERENCE_SLICE_H

#include <array>
#include <deque>
#include <map>
#include <unordered_map>

#include "tests/rtl/reference/sm_state.h"

namespace reference {

/* Which slice has a line. */
unsigned slice_of(std::uint32_t line, const Params &params);

class Slice {
  public:
    Slice(unsigned number, const Config &config, Coverage &coverage);

    void request(const Request &r, Cycle arrival);
    void dram_reply(unsigned id, Cycle at);
    /* One cycle; replies that were decided in it are appended, with the time they arrive. */
    void cycle(Cycle now, std::vector<Reply> &replies);
    void flush(Cycle now);
    void fill(std::uint32_t line, Cycle now);
    bool idle() const { return queue_.empty() && reads_.empty(); }

    std::vector<Event> events;
    std::uint64_t accesses = 0, hits = 0, dram_reads = 0, dram_writes = 0, hash = 0;

  private:
    static constexpr unsigned WAYS = 16;
    struct Way {
        std::uint32_t line = 0;
        unsigned valid = 0, dirty = 0, full = 0, flight = 0; /* sectors */
        bool empty() const { return !valid && !flight; }
    };
    struct Set {
        std::array<Way, WAYS> way;
        unsigned pointer = 0;
    };
    struct Read { /* a DramRead in flight */
        std::uint32_t line;
        unsigned sectors;
    };
    struct Waiting { /* a request that waits for memory */
        Request request;
        unsigned missing; /* sectors still to come */
        unsigned sectors; /* of the reply */
    };

    Set &set_of(std::uint32_t line);
    Way *find(std::uint32_t line);
    Way *allocate(std::uint32_t line, Cycle now);
    bool serve(const Request &r, Cycle now, std::vector<Reply> &replies);
    void take_memory(unsigned id, Cycle now, std::vector<Reply> &replies);
    void read_memory(Way &way, unsigned sectors, Cycle now);
    void answer(const Request &r, unsigned bar, unsigned sectors, Cycle wanted,
                std::vector<Reply> &replies);
    void emit(core_ev kind, Cycle at, unsigned id, std::uint32_t line, unsigned sectors,
              unsigned full);

    const unsigned number_;
    const Config &config_;
    Coverage &coverage_;
    std::vector<Set> set_;
    std::map<std::pair<Cycle, unsigned>, Request> queue_; /* by (arrival, SM) */
    std::multimap<Cycle, unsigned> from_memory_;          /* ids; equal times in order of arrival */
    std::unordered_map<unsigned, Read> reads_;            /* by id */
    std::unordered_map<std::uint32_t, std::deque<Waiting>> waiting_; /* by line */
    unsigned next_id_ = 0;
    Cycle free_ = 0, port_free_ = 0;
};

} // namespace reference

#endif
