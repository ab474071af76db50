/* event_words.cpp - see event_words.h. */
#include "reference/event_words.h"

namespace reference {

/* The reverse of request_event(). */
static void encode_request(const Event &e, std::uint64_t *w) {
    const RequestId id = unpack_id(e.id);
    core_remote_set_slot(w, e.slot);
    core_remote_set_bar(w, id.bar);
    core_remote_set_mshr(w, id.mshr);
    core_remote_set_cached(w, id.cached);
    core_remote_set_slice(w, CORE_OUTSIDE);
    core_remote_set_req(w, id.kind);
    core_remote_set_perform(w, id.perform);
    core_remote_set_full(w, e.full & 0xf);
    core_remote_set_turns(w, e.full >> 4);
    core_remote_set_addr(w, e.addr);
}

/* The reverse of decode_reply_event(). */
static void encode_reply(const Event &e, std::uint64_t *w) {
    core_remote_set_bar(w, e.slot);
    core_remote_set_mshr(w, e.id);
    core_remote_set_slice(w, e.addr);
    core_remote_set_perform(w, e.full);
}

void encode_event(const Event &e, std::uint64_t *w) {
    w[0] = w[1] = 0;
    if (e.kind != CORE_EV_REQUEST && e.kind != CORE_EV_REPLY) {
        core_event_set_at(w, e.at);
        core_event_set_kind(w, e.kind);
        core_event_set_sm(w, e.sm);
        core_event_set_warp(w, e.warp);
        core_event_set_sectors(w, e.sectors);
        core_event_set_slot(w, e.slot);
        core_event_set_id(w, e.id);
        core_event_set_addr(w, e.addr);
        core_event_set_full(w, e.full);
        return;
    }
    core_remote_set_at(w, e.at);
    core_remote_set_kind(w, e.kind);
    core_remote_set_sm(w, e.sm);
    core_remote_set_warp(w, e.warp);
    core_remote_set_sectors(w, e.sectors);
    if (e.kind == CORE_EV_REQUEST)
        encode_request(e, w);
    else
        encode_reply(e, w);
}

} // namespace reference
