/* test_message.c - functions generated from the tables: every message arrives as it was sent
 * (messages.def), and the fields of a command or event share no bits (core_commands.def,
 * core_events.def). */
#include <criterion/criterion.h>

#include "timing/core_command.h"
#include "timing/message.h"

static struct fabric_message heard;

static void receive(void *self, const struct fabric_message *m) {
    (void)self;
    heard = *m;
}
static heddle_err advance(void *self, uint64_t until, struct heddle_diag *diag) {
    (void)self, (void)until, (void)diag;
    return HEDDLE_OK;
}
static uint64_t next(void *self) {
    (void)self;
    return FABRIC_NEVER;
}
static const struct fabric_ops ops = {receive, advance, next};

/* Returns a value as wide as the word, different for each word. */
static uint64_t value_of(unsigned word, unsigned bits) {
    uint64_t pattern = UINT64_C(0xf1e2d3c4b5a69788) + word;
    return bits == 64 ? pattern : pattern & ((UINT64_C(1) << bits) - 1);
}

/* Makes a fabric of two components and runs the one window in which the message of `send`
 * arrives. */
static void pass(void (*send)(struct fabric *f, uint32_t from, uint32_t to, uint64_t at_ps)) {
    struct fabric *f = fabric_create(1);
    bool idle;
    uint32_t driver = fabric_add(f, "driver", NULL, NULL, 0);
    uint32_t listener = fabric_add(f, "listener", &ops, f, 0);
    send(f, driver, listener, 77);
    cr_assert_eq(fabric_step(f, listener, FABRIC_NEVER, &idle, NULL), HEDDLE_OK);
    cr_assert(heard.at == 77 && heard.from == driver);
    fabric_free(f);
}

/* clang-format off */
#define MESSAGE(KIND, name, from, to, text)              \
    static struct message_##name make_##name(void) {     \
        struct message_##name m;                         \
        unsigned n = 0;
#define WORD(bits, member, unit, text) m.member = (uint##bits##_t)value_of(n++, bits);
#define END() return m; }
#include "tables/messages.def"
#undef MESSAGE
#undef WORD
#undef END

#define MESSAGE(KIND, name, from, to, text)                           \
    static void check_##name(const struct message_##name m) {         \
        unsigned n = 0;
#define WORD(bits, member, unit, text) cr_expect_eq(m.member, value_of(n++, bits));
#define END() }
#include "tables/messages.def"
#undef MESSAGE
#undef WORD
#undef END

#define WORD(bits, member, unit, text)
#define END()
#define MESSAGE(KIND, name, sender, receiver, text)                                             \
    static void send_##name(struct fabric *f, uint32_t from, uint32_t to, uint64_t at_ps) {     \
        const struct message_##name m = make_##name();                                          \
        message_send_##name(f, from, to, at_ps, &m);                                            \
    }                                                                                           \
    Test(message, name) {                                                                       \
        pass(send_##name);                                                                      \
        cr_assert_eq(heard.kind, MESSAGE_##KIND);                                               \
        check_##name(message_read_##name(&heard));                                              \
    }
#include "tables/messages.def"
#undef MESSAGE
#undef WORD
#undef END

static unsigned bits_of(const uint64_t *w, unsigned words) {
    unsigned n = 0;
    for (unsigned i = 0; i < words; i++) n += (unsigned)__builtin_popcountll(w[i]);
    return n;
}

/* The fields, set one by one, set as many bits as all of them together. */
#define COMMAND(KIND, name, text)                        \
    Test(command, name) {                                \
        uint64_t all[2] = {0}, one[2];                   \
        unsigned sum = 0;                                \
        cr_expect_leq(CORE_CMD_##KIND, 15);
#define USES(member, field, text)                        \
        one[0] = one[1] = 0;                             \
        core_command_set_##field(one, UINT32_MAX);       \
        core_command_set_##field(all, UINT32_MAX);       \
        sum += bits_of(one, 2);
#define END()                                            \
        cr_expect_eq(bits_of(all, 2), sum);              \
    }
#include "tables/core_commands.def"
#undef COMMAND
#undef USES

#define EVENT(KIND, name, text)                          \
    Test(event, name) {                                  \
        uint64_t all[2] = {0}, one[2];                   \
        unsigned sum = 0;                                \
        cr_expect_leq(CORE_EV_##KIND, 15);
#define USES(member, field, text)                        \
        one[0] = one[1] = 0;                             \
        core_event_set_##field(one, UINT32_MAX);         \
        core_event_set_##field(all, UINT32_MAX);         \
        sum += bits_of(one, 2);
#include "tables/core_events.def"
/* clang-format on */

Test(command, the_beat_holds_what_was_asked_for) {
    uint64_t beat[8];
    memset(beat, 0xff, sizeof beat);
    core_make_dram_reply(beat, &(struct core_cmd_dram_reply){.slice = 61, .id = 517, .at = 9});
    cr_assert_eq(core_command_kind(beat), CORE_CMD_DRAM_REPLY);
    cr_assert(core_command_sm(beat) == 61 && core_command_id(beat) == 517);
    cr_assert(core_command_at(beat) == 9 && core_command_value(beat) == 0);
    for (unsigned i = CORE_BEAT_PAYLOAD; i < 8; i++) cr_assert_eq(beat[i], 0);
}
