/* slice.h - rule 9: one L2 slice with its request queues and its ports. */
#ifndef REFERENCE_SLICE_H
#define REFERENCE_SLICE_H

#include <array>

#include "reference/sm_state.h"

namespace reference {

/* Which slice has a line: its home. */
unsigned slice_of(std::uint32_t line, const Params &params);
/* The slice of the same lines in the other partition. */
unsigned mirror_of(unsigned slice, const Params &params);
/* Where a request of an SM, or of another customer, goes. */
unsigned entry_of(std::uint32_t line, unsigned sm, const Params &params);

/* What a slice says to its mirror. */
enum class Trip { NONE, FETCH, PASS, FETCHED, PASSED, DROP };
struct Crossing {
    Cycle at; /* arrival */
    unsigned to;
    Trip trip;
    Request request;  /* the one in question */
    unsigned sectors; /* FETCH, FETCHED: of the line; PASSED: of the answer */
};

class Slice {
  public:
    Slice(unsigned number, const Config &config, Coverage &coverage, std::vector<Event> &events);

    void request(const Request &r, Cycle arrival);
    void crossing(const Crossing &c);
    void dram_reply(unsigned id, Cycle at);
    void dram_written(Cycle at);
    /* One cycle; replies and messages that were decided in it are appended, with the time they
     * arrive. */
    void cycle(Cycle now, std::vector<Reply> &replies, std::vector<Crossing> &crossings);
    void flush(Cycle now);
    void unpin();
    void fill(std::uint32_t line, Cycle now);
    /* A copy of the line is no longer valid; what it has asked for still comes. */
    void drop(std::uint32_t line);
    bool copied(std::uint32_t line);
    bool idle() const { return queue_.empty() && far_.empty() && back_.empty() && !reading_; }

    /* Nothing happens before this cycle, unless something comes. */
    Cycle wake = NEVER;
    std::uint64_t accesses = 0, hits = 0, dram_reads = 0, dram_writes = 0, hash = 0;

  private:
    static constexpr unsigned WAYS = 16, MAX_FETCHES = 8, PART = 256, WRITTEN = 1 << 16, NONE = ~0u;
    struct Way {
        std::uint32_t line = 0;
        unsigned valid = 0, dirty = 0, full = 0, flight = 0; /* sectors */
        bool copied = false;                                 /* the mirror may hold some */
        bool pinned = false;
        unsigned first = NONE, last = NONE; /* requests that wait for sectors, in order */
        bool empty() const { return !valid && !flight; }
    };
    struct Set {
        std::array<Way, WAYS> way;
        unsigned pointer = 0;
        unsigned fetches = 0; /* ways in flight from the mirror */
    };
    struct Read { /* a DramRead in flight; its id is its place */
        std::uint32_t line;
        unsigned sectors; /* 0: none */
    };
    struct Arrival { /* of a request of an SM or another customer */
        Cycle at;
        Request request;
        bool operator>(const Arrival &o) const {
            return std::tie(at, request.sm) > std::tie(o.at, o.request.sm);
        }
    };
    struct FromMemory {
        Cycle at;
        unsigned id; /* or WRITTEN */
    };
    struct Waiting { /* a request that waits for sectors */
        Request request;
        Trip trip;
        unsigned missing; /* sectors still to come */
        unsigned sectors; /* of the reply */
        unsigned next;    /* of the line, or of those that are free */
    };

    Set &set_of(std::uint32_t line);
    Way *find(std::uint32_t line);
    Way *victim(std::uint32_t line);
    Way *surplus(Set &set, const Way &own);
    core_pin pin(const Request &r, Way &way);
    void write_back(Way &way, Cycle at, bool counted);
    void evict(Way &way, std::uint32_t line, Cycle at, bool counted);
    bool serve_next(Cycle now);
    bool serve(const Request &r, Trip trip, Cycle start, Cycle now);
    void pass(const Request &r, Cycle start, Cycle now);
    void count(const Request &r, Trip trip, unsigned present, unsigned fresh, unsigned merged,
               Cycle now);
    Cycle next(Cycle now) const;
    void wait(Way &way, const Waiting &waiting);
    void take_memory(unsigned id, Cycle now);
    void take_crossing(const Crossing &c, Cycle now);
    void sectors_come(std::uint32_t line, unsigned sectors, Cycle now);
    void read_memory(Way &way, unsigned sectors, Cycle now);
    void answer(const Request &r, Trip trip, unsigned bar, unsigned sectors, Cycle wanted,
                bool waited = false);
    void cross(const Request &r, Trip trip, unsigned sectors, unsigned carried, Cycle wanted);
    Cycle flits(unsigned sectors) const;
    Cycle occupied(const Request &r) const;
    unsigned pieces_with(unsigned sectors) const;
    void emit(core_ev kind, Cycle at, unsigned id, std::uint32_t line, unsigned sectors,
              unsigned full);

    const unsigned number_;
    const Config &config_;
    Coverage &coverage_;
    std::vector<Set> set_;
    std::vector<Event> &events_;
    Calendar<Arrival> queue_;      /* by (arrival, SM) */
    Cycle served_ = NEVER;         /* arrival of the request served last */
    Ring<Crossing> far_, back_;    /* of the mirror: requests; the rest; in order of time */
    Ring<FromMemory> from_memory_; /* in order of time */
    std::vector<Read> reads_;      /* by id */
    std::vector<unsigned> free_ids_;
    std::vector<Waiting> waiting_; /* those of a line are linked */
    unsigned free_waiting_ = NONE;
    unsigned reading_ = 0, entries_ = 0;
    bool stuck_ = false, far_stuck_ = false;
    Cycle free_ = 0, port_free_ = 0, far_free_ = 0, back_free_ = 0; /* in 1/256 cycles */
    std::vector<Reply> *replies_ = nullptr;                         /* of this cycle */
    std::vector<Crossing> *crossings_ = nullptr;
};

} // namespace reference

#endif
