/* test_net_calendar.cpp - rtl/l2/net_calendar.sv: messages of random sources and times, some far
 * ahead, leave in order of (time, source), in the window that they belong to, with what they came
 * with; next_o says of an empty calendar that it is, and else when to look next. */
#include <deque>
#include <map>

#include "Vnet_calendar.h"
#include "module_bench.h"

enum { SOURCES = 464, FIRST_SLICE = 160, FIRST_FAR = 256, NODES = 256 };

struct Message {
    uint32_t time, node, dest;
};

using Bench = ModuleBench<Vnet_calendar>;

class Run {
  public:
    Run(uint32_t seed, uint32_t spread, unsigned rate) : b_(seed), spread_(spread), rate_(rate) {
        for (unsigned n = 0; n < NODES; n++) free_.push_back(n);
        while (!b_.v.ready_o) b_.tick();
    }

    void all(unsigned windows) {
        now_ = b_.v.reached_i = (uint32_t)b_.bits(32); /* times wrap */
        insert(true);
        for (unsigned w = 0; w < windows; w++) {
            check_next();
            const uint32_t skip = count_ ? 0 : b_.pick(5000);
            now_ += skip;
            b_.v.reached_i = now_;
            extract(now_ + 1 + b_.pick(64));
            for (int i = b_.pick(40); i > 0; i--) insert(false);
            if (b_.chance(20)) insert(true);
        }
        while (count_) extract(now_ + 200);
        check_next();
        if (taken_ < 1000) b_.fail("%u messages only", taken_);
        if (at_once_ < 25) b_.fail("%u in the clock behind another", at_once_);
    }

  private:
    Bench b_;
    uint32_t spread_, now_ = 0; /* everything before now_ has been taken out */
    unsigned rate_, count_ = 0, taken_ = 0, at_once_ = 0;
    std::deque<Message> list_[SOURCES];
    std::deque<unsigned> free_;

    /* A message of a source, later than the one before. */
    void insert(bool remote) {
        const unsigned s = b_.chance(50) ? b_.pick(SOURCES) : b_.pick(4) * 100;
        uint32_t time = now_ + b_.pick(spread_);
        if (!list_[s].empty()) {
            const uint32_t after = list_[s].back().time + 1;
            if ((int32_t)(time - after) < 0) time = after;
        }
        if (!free_.empty()) {
            const Message m = {
                time, free_.front(),
                (uint32_t)(s >= FIRST_SLICE && s < FIRST_FAR ? b_.pick(256) : b_.pick(96))};
            free_.pop_front();
            list_[s].push_back(m);
            count_++;
            b_.v.insert_i = 1;
            b_.v.insert_source_i = s;
            b_.v.insert_time_i = time;
            b_.v.insert_node_i = m.node;
            b_.v.insert_dest_i = m.dest;
            b_.v.insert_remote_i = remote;
            b_.tick();
            if (b_.v.order_o) b_.fail("order");
            b_.v.insert_i = 0;
        }
        while (!b_.chance(rate_)) b_.tick();
    }

    /* The first message: its time and source. */
    bool first(uint32_t *time, unsigned *source) {
        bool any = false;
        for (unsigned s = 0; s < SOURCES; s++)
            if (!list_[s].empty() && (!any || (int32_t)(list_[s].front().time - *time) < 0)) {
                *time = list_[s].front().time;
                *source = s;
                any = true;
            }
        return any;
    }

    void check_next() {
        for (int i = 0; b_.v.busy_o; i++) {
            if (i > 10) b_.fail("never quiet");
            b_.tick();
        }
        uint32_t time = 0;
        unsigned source = 0;
        const bool any = first(&time, &source);
        if (any == (b_.v.next_o >> 32 & 1)) b_.fail("next says %d", !any);
        if (any && (int32_t)((uint32_t)b_.v.next_o - time) > 0) b_.fail("next is too late");
    }

    void extract(uint32_t end) {
        b_.v.extract_i = 1;
        b_.v.window_end_i = end;
        bool out = false; /* a message came in the clock before */
        for (int i = 0;; i++) {
            if (i > 100000) b_.fail("never done");
            at_once_ += out && b_.v.out_o;
            out = b_.v.out_o;
            if (out) take(end);
            if (b_.v.done_o) break;
            b_.tick();
        }
        b_.tick(); /* the last clock of extract_i */
        b_.v.extract_i = 0;
        now_ = end;
        uint32_t time = 0;
        unsigned source = 0;
        if (first(&time, &source) && (int32_t)(time - end) < 0)
            b_.fail("the message of %u at %u is left", source, time);
    }

    void take(uint32_t end) {
        uint32_t time = 0;
        unsigned s = 0;
        if (!first(&time, &s)) b_.fail("a message too many");
        const Message m = list_[s].front();
        list_[s].pop_front();
        if (b_.v.out_source_o != s || b_.v.out_time_o != time || b_.v.out_node_o != m.node ||
            b_.v.out_dest_o != m.dest || (int32_t)(time - end) >= 0)
            b_.fail("message of %u at %u, not of %u at %u", b_.v.out_source_o, b_.v.out_time_o, s,
                    time);
        free_.push_back(m.node);
        count_--;
        taken_++;
    }
};

int main() {
    uint32_t seed = 1;
    for (const uint32_t spread : {2u, 40u, 250u, 2000u})
        for (const unsigned rate : {100u, 30u}) Run(seed++, spread, rate).all(300);
    printf("net_calendar: passed\n");
    return 0;
}
