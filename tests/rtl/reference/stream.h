/* stream.h - what a bench runs: parameters, and the programs of all warps of all CTAs.
 *
 * A stream is fixed before it runs: which SM, CTA slot and warp numbers a CTA takes, and after
 * which CTA it comes, never depend on the order of events. Equal seeds give equal streams. */
#ifndef REFERENCE_STREAM_H
#define REFERENCE_STREAM_H

#include <string>
#include <utility>
#include <vector>

#include "reference/words.h"

namespace reference {

/* Latency classes: rows of tables/mir_classes.def. */
enum class_number : unsigned {
#define CLASS(id, pipe, variable, param, text) CLASS_##id,
#include "tables/mir_classes.def"
#undef CLASS
    NUM_CLASSES
};

/* One packet with its line words, as they travel. */
struct Item {
    std::uint64_t packet[2];
    std::vector<std::uint64_t> lines;
    unsigned gate = 0; /* the host gives it after so many Perform events of this warp */
};

struct WarpProgram {
    unsigned warp; /* number on the SM */
    std::vector<Item> items;
};

struct CtaProgram {
    unsigned sm, slot;
    int after;   /* CTA that must have ended, -1: the phase begins with it */
    Cycle delay; /* after the earliest cycle possible */
    std::vector<WarpProgram> warps;
    unsigned constants = 0; /* whose it means */
    int l1_lines = -1; /* FlushL1 of its SM, which has no other CTA then, before it; -1: none */
};

/* An access of a customer of L2 that is no SM (customers.h). */
struct CustomerAccess {
    unsigned kind, bar, warp, slot; /* kind: enum core_req */
    bool perform, after;            /* after: the answers to all accesses before */
    Cycle delay;
    Line line;
};

struct CustomerProgram {
    unsigned number; /* FIRST_CUSTOMER and above */
    std::vector<CustomerAccess> accesses;
};

/* CTAs of one kernel; caches are flushed or filled before it. */
struct Phase {
    bool flush_l1 = false, flush_l2 = false, unpin_l2 = false;
    std::vector<unsigned> l1_lines; /* of each SM, with flush_l1 */
    std::uint32_t fill_line = 0, fill_lines = 0;
    Cycle idle = 0; /* in which nothing happens, before it */
    std::vector<CtaProgram> ctas;
    std::vector<CustomerProgram> customers;
};

struct Stream {
    std::string name;
    std::uint64_t seed = 0;
    std::vector<std::pair<unsigned, std::uint32_t>> params;  /* Set */
    std::vector<std::pair<unsigned, std::uint32_t>> classes; /* Class: number, value */
    std::vector<Phase> phases;
    unsigned dram_latency = 0, dram_spread = 200; /* cycles beyond the look-ahead */
};

/* Builders of items; everything not named is "none". */
struct Fields {
    unsigned cls = 0, stall = 1, wait = 0, wr = NO_BAR, rd = NO_BAR, slot = 0, mem = 0, passes = 1;
    unsigned bar_id = 0, bar_warps = 0, sleep = 0; /* sleep: cycles, of CLASS_SLEEP */
    unsigned pc = 0, constant = 0;
    bool start = false, fetch = false, launched = false;
    unsigned src[3] = {}, even = 0, odd = 0, reuse = 0, dst = 0;
    bool yield = false, last = false, perform = false, arrive = false;
};
Item make_item(const Fields &f, const std::vector<Line> &lines = {});
/* The end of a warp, which waits for all it has on its way, or for all but its stores. */
Item make_exit(bool leaves_stores = false);
/* A store of one line, by the instruction pc, which begins a line of code or not. */
Item make_store(unsigned pc, bool launched, const Line &line);
Item make_hold(unsigned wait); /* what follows waits for at least the same */
enum : unsigned { BLOCKING = 1, SLEEPING = 2, PORTS = 4, REUSE = 8 }; /* flags of a class */
std::uint32_t class_value(unsigned latency, unsigned interval, unsigned pipe, unsigned flags);
/* The class table of a V100-like GPU. */
void add_default_classes(Stream &s);

/* Deterministic random numbers: splitmix64. */
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next();
    unsigned below(unsigned n) { return n ? (unsigned)(next() % n) : 0; }
    unsigned between(unsigned lo, unsigned hi) { return lo + below(hi - lo + 1); }
    bool chance(unsigned percent) { return below(100) < percent; }

  private:
    std::uint64_t state_;
};

struct RandomOptions {
    unsigned max_sm = 3;          /* 1..; more when there are several instances */
    unsigned max_items = 200;     /* of a warp, roughly */
    bool loose_producers = false; /* a producer of a dependency barrier may have stall < 2 */
    bool memory = true;           /* global memory at all */
    unsigned max_lines = 32;      /* of one instruction */
    bool gates = true;            /* Holds that wait for the host */
    unsigned instances = 1;       /* of the core: each has an SM and a slice at least */
    unsigned groups = 1;          /* pairs of engines in an instance */
};
Stream random_stream(std::uint64_t seed, const RandomOptions &options = {});

/* Directed streams, by name; see directed.cpp. */
struct Directed {
    const char *name, *text;
    Stream (*make)();
};
const std::vector<Directed> &directed_streams();

} // namespace reference

#endif
