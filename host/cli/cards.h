/* cards.h - the options --card and --image, of `heddle run` and `heddle card`. */
#ifndef HEDDLE_CLI_CARDS_H
#define HEDDLE_CLI_CARDS_H

#include <glib.h>
#include <stdbool.h>

#include "timing/core.h"

enum {
    CARDS_MAX = 64,  /* the highest number of cards that a list may have */
    CARDS_MHZ = 250, /* the clock of the card that --inject-latency speaks of */
};

/* Reads a list of cards as XRT numbers them ("0" or "0,2,3") into cards[0..*count-1], each once.
 * @return false, with the error printed, for anything else. */
bool cards_read(const char *list, unsigned cards[CARDS_MAX], unsigned *count);

/* The cores on these cards, borrowed. `library`: other than XRT's (--backend), or NULL; `image`: to
 * be loaded, or NULL. Rings lie where the image allows; the host looks at a run while the next is
 * under way; a run that hangs ends after seconds. */
struct core_cards cards_cores(const unsigned *cards, const char *library, const char *image);

#endif
