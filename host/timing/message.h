/* message.h - the messages between the components of a simulated system: typed structs, which
 * tables/messages.def generates. The table names each message's sender, receiver and units.
 *
 * message_send_NAME() sends a message over the fabric (from a component's callback, or between
 * windows); message_read_NAME() unpacks one that has arrived. A word is an unsigned integer of a
 * fixed width, so that a message means the same in every process. */
#ifndef HEDDLE_TIMING_MESSAGE_H
#define HEDDLE_TIMING_MESSAGE_H

#include <stdint.h>

#include "fabric/fabric.h"

/* clang-format off */
#define WORD(bits, member, unit, text)
#define END()
#define MESSAGE(KIND, name, from, to, text) MESSAGE_##KIND,
enum message_kind {
    MESSAGE_NONE,
#include "tables/messages.def"
    MESSAGE_KIND_COUNT
};
#undef MESSAGE
#undef WORD
#undef END

#define MESSAGE(KIND, name, from, to, text) struct message_##name {
#define WORD(bits, member, unit, text) uint##bits##_t member;
#define END() };
#include "tables/messages.def"
#undef MESSAGE
#undef WORD
#undef END

/* Every message fits into the words of a fabric message. */
#define MESSAGE(KIND, name, from, to, text) _Static_assert(0
#define WORD(bits, member, unit, text) + 1
#define END() <= FABRIC_MESSAGE_WORDS, "a message with too many words");
#include "tables/messages.def"
#undef MESSAGE
#undef WORD
#undef END

/* from, to: component numbers. at_ps: arrival, picoseconds of target time; the rules of
 * fabric_send() hold. */
#define MESSAGE(KIND, name, from_text, to_text, text)                                          \
    static inline void message_send_##name(struct fabric *fabric, uint32_t from, uint32_t to,  \
                                           uint64_t at_ps, const struct message_##name *m) {   \
        struct fabric_message out = {.at = at_ps, .from = from, .to = to,                      \
                                     .kind = MESSAGE_##KIND};                                  \
        unsigned i = 0;
#define WORD(bits, member, unit, text) out.word[i++] = m->member;
#define END() fabric_send(fabric, &out); }
#include "tables/messages.def"
#undef MESSAGE
#undef WORD
#undef END

#define MESSAGE(KIND, name, from, to, text)                                                    \
    static inline struct message_##name message_read_##name(const struct fabric_message *in) { \
        struct message_##name m;                                                               \
        unsigned i = 0;
#define WORD(bits, member, unit, text) m.member = (uint##bits##_t)in->word[i++];
#define END() return m; }
#include "tables/messages.def"
#undef MESSAGE
#undef WORD
#undef END
/* clang-format on */

#endif
