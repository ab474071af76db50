/* whole_core.cpp - see whole_core.h. */
#include "tests/rtl/compare/whole_core.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

extern "C" {
#include "timing/core.h"
}

namespace reference {

WholeCore::WholeCore(const char *library, unsigned instances)
    : instances_(instances), remote_(instances) {
    for (unsigned i = 0; i < instances; i++) {
        core_options options{};
        heddle_diag diag{};
        options.library = library;
        options.device = i;
        options.sub_cores = SUB_CORES;
        if (core_create(&instances_[i].core, &options, &diag)) throw std::runtime_error(diag.text);
        if (core_set_param(instances_[i].core, CORE_PARAM_INSTANCES, instances) ||
            core_set_param(instances_[i].core, CORE_PARAM_INSTANCE, i))
            throw std::runtime_error(core_error(instances_[i].core));
    }
}

WholeCore::~WholeCore() {
    for (Instance &i : instances_) core_free(i.core);
}

void WholeCore::to(unsigned instance, const std::uint64_t *beat) {
    struct core *core = instances_[instance].core;
    if (core_command_kind(beat) != CORE_CMD_SET) {
        std::memcpy(core_command(core, 1), beat, 64);
        return;
    }
    /* Set is checked against what the core was built for. */
    if (core_set_param(core, core_command_id(beat), core_command_value(beat)))
        throw std::runtime_error(core_error(core));
}

/* SM g and slice s belong to the instance of their number modulo the instances. */
void WholeCore::command(const std::uint64_t beat[8]) {
    const unsigned n = (unsigned)instances_.size();
    switch (core_command_kind(beat)) {
    case CORE_CMD_PACKETS:
    case CORE_CMD_LAUNCH:
    case CORE_CMD_FLUSH_L1:
    case CORE_CMD_DRAM_REPLY: to(core_command_sm(beat) % n, beat); break;
    case CORE_CMD_REMOTE: {
        const bool request = core_remote_kind(beat + 2) == CORE_EV_REQUEST;
        to((request ? core_remote_slice(beat + 2) : core_remote_sm(beat + 2)) % n, beat);
        break;
    }
    case CORE_CMD_SET:
        if (core_command_id(beat) == CORE_PARAM_NET_REQUEST)
            net_request_ = core_command_value(beat);
        if (core_command_id(beat) == CORE_PARAM_NET_REPLY) net_reply_ = core_command_value(beat);
        /* fall through */
    default:
        for (unsigned i = 0; i < n; i++) to(i, beat);
    }
}

/* Runs every instance to `end`. @return false: one is parked */
bool WholeCore::run_all(Cycle end) {
    bool parked = false;
    for (Instance &i : instances_) {
        if (i.reached == end) continue;
        core_status status{};
        if (core_run(i.core, (std::uint32_t)end, &status))
            throw std::runtime_error(core_error(i.core));
        std::size_t count = 0;
        const std::uint64_t *words = core_events(i.core, &count);
        for (const std::uint64_t *w = words; w < words + 2 * count; w += 2) {
            const unsigned kind = core_event_kind(w);
            if (kind == CORE_EV_REPLY && core_remote_sm(w) >= FIRST_CUSTOMER) {
                events_.push_back(decode_reply_event(w));
            } else if (kind == CORE_EV_REQUEST && core_remote_slice(w) == CORE_OUTSIDE) {
                events_.push_back(request_event(decode_request(w, core_remote_at(w))));
            } else if (kind == CORE_EV_REQUEST || kind == CORE_EV_REPLY) {
                const unsigned owner = kind == CORE_EV_REQUEST ? core_remote_slice(w)
                                                               : core_remote_sm(w);
                auto &list = remote_[owner % instances_.size()];
                list.insert(list.end(), w, w + 2);
            } else if (kind != CORE_EV_NONE) {
                events_.push_back(decode_event(w));
            }
        }
        if (status.parked)
            parked = true;
        else if ((std::uint32_t)status.reached != (std::uint32_t)end)
            throw std::runtime_error("a core stops at " + std::to_string(status.reached) +
                                     " before " + std::to_string(end) + " and is not parked");
        else
            i.reached = end;
    }
    return !parked;
}

void WholeCore::exchange() {
    for (unsigned i = 0; i < instances_.size(); i++) {
        for (std::size_t k = 0; k < remote_[i].size(); k += 2) {
            std::uint64_t beat[8] = {};
            core_command_set_kind(beat, CORE_CMD_REMOTE);
            core_command_set_words(beat, 1);
            beat[2] = remote_[i][k];
            beat[3] = remote_[i][k + 1];
            to(i, beat);
        }
        remote_[i].clear();
    }
}

Status WholeCore::run(Cycle until) {
    const Cycle longest = instances_.size() > 1 ? std::min(net_request_, net_reply_) : UINT32_MAX;
    while (now_ < until) {
        if (end_ <= now_) end_ = std::min(until, now_ + longest);
        if (!run_all(end_)) return {now_, true};
        exchange();
        now_ = end_;
    }
    return {now_, false};
}

void WholeCore::take_events(std::vector<Event> &out) {
    out.insert(out.end(), events_.begin(), events_.end());
    events_.clear();
}

Counters WholeCore::counters() const {
    Counters c{};
    for (const Instance &i : instances_) {
        c.issued += core_counter(i.core, CORE_COUNTER_ISSUED);
        c.issue_hash += core_counter(i.core, CORE_COUNTER_ISSUE_HASH);
        c.l1_accesses += core_counter(i.core, CORE_COUNTER_L1_ACCESSES);
        c.l1_hits += core_counter(i.core, CORE_COUNTER_L1_HITS);
        c.fetch_misses += core_counter(i.core, CORE_COUNTER_FETCH_MISSES);
        c.constant_misses += core_counter(i.core, CORE_COUNTER_CONSTANT_MISSES);
        c.l2_accesses += core_counter(i.core, CORE_COUNTER_L2_ACCESSES);
        c.l2_hits += core_counter(i.core, CORE_COUNTER_L2_HITS);
        c.dram_reads += core_counter(i.core, CORE_COUNTER_DRAM_READS);
        c.dram_writes += core_counter(i.core, CORE_COUNTER_DRAM_WRITES);
        c.slice_hash += core_counter(i.core, CORE_COUNTER_SLICE_HASH);
        for (unsigned n = CORE_COUNTER_WAIT_NO_WARP; n <= CORE_COUNTER_WAIT_CONSTANT; n++)
            c.wait[n] += core_counter(i.core, (enum core_counter)n);
    }
    return c;
}

} // namespace reference
