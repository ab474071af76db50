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

void group_pins_add(const struct group_pins *p, uint64_t at, struct pin_counts *sum) {
    sum->begun += p->begun;
    sum->refused += p->refused;
    sum->dropped += p->dropped;
    sum->cycles += p->balance + p->standing * at;
}
