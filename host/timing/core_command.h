/* core_command.h - commands to the timing core and its events, kind by kind: typed structs that
 * tables/core_commands.def and tables/core_events.def generate over the accessors of core_words.h.
 *
 * core_make_NAME() fills a command beat of eight words, the payload words with zeros;
 * core_read_NAME() reads an event of two words. */
#ifndef HEDDLE_TIMING_CORE_COMMAND_H
#define HEDDLE_TIMING_CORE_COMMAND_H

#include <string.h>

#include "core_words.h"

enum { CORE_BEAT_BYTES = 64, CORE_BEAT_PAYLOAD = 2 /* first payload word */ };

/* Fills a command beat of eight words with a command that has no fields. */
static inline void core_make_plain(uint64_t *beat, enum core_cmd kind) {
    memset(beat, 0, CORE_BEAT_BYTES);
    core_command_set_kind(beat, kind);
}

/* clang-format off */
#define USES(member, field, text) uint32_t member;
#define END() };
#define COMMAND(KIND, name, text) struct core_cmd_##name {
#include "tables/core_commands.def"
#undef COMMAND
#define EVENT(KIND, name, text) struct core_ev_##name {
#include "tables/core_events.def"
#undef EVENT
#undef USES
#undef END

#define COMMAND(KIND, name, text)                                                              \
    static inline void core_make_##name(uint64_t *beat, const struct core_cmd_##name *c) {     \
        core_make_plain(beat, CORE_CMD_##KIND);
#define USES(member, field, text) core_command_set_##field(beat, c->member);
#define END() }
#include "tables/core_commands.def"
#undef COMMAND
#undef USES
#undef END

#define EVENT(KIND, name, text)                                                                \
    static inline struct core_ev_##name core_read_##name(const uint64_t *ev) {                 \
        return (struct core_ev_##name){
#define USES(member, field, text) .member = core_event_##field(ev),
#define END() }; }
#include "tables/core_events.def"
#undef EVENT
#undef USES
#undef END
/* clang-format on */

#endif
