/* message.h - what the components of a simulated system say to each other over the fabric: typed
 * structs, made from tables/messages.def.
 *
 * message_send_NAME() sends one, message_read_NAME() reads one that has arrived. A word is an
 * unsigned integer of a fixed width, so that a message means the same in every process. */
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

/* Words are what a fabric message has room for. */
#define MESSAGE(KIND, name, from, to, text) _Static_assert(0
#define WORD(bits, member, unit, text) + 1
#define END() <= FABRIC_MESSAGE_WORDS, "a message with too many words");
#include "tables/messages.def"
#undef MESSAGE
#undef WORD
#undef END

/* `at_ps` is the arrival; the rules of fabric_send() hold. */
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
