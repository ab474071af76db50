/* group_pins.c - see group_pins.h. */
#include "timing/group_pins.h"

#include "core_words.h"

void group_pins_event(struct group_pins *p, unsigned pin, uint64_t at) {
    switch (pin) {
    case CORE_PIN_BEGINS:
        p->begun++;
        p->standing++;
        p->balance -= at;
        break;
    case CORE_PIN_ENDS:
        p->standing--;
        p->balance += at;
        break;
    case CORE_PIN_REFUSED: p->refused++; break;
    default: break;
    }
}

void group_pins_drop(struct group_pins *p, uint64_t at) {
    p->dropped += p->standing;
    p->balance += p->standing * at;
    p->standing = 0;
}

struct pin_counts group_pins_get(const struct group_pins *p, uint64_t at) {
    return (struct pin_counts){.begun = p->begun,
                               .refused = p->refused,
                               .dropped = p->dropped,
                               .cycles = p->balance + p->standing * at};
}
