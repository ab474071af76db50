/* cards.c - reads the list of --card, and says where the cores of a run on cards are. Called on the
 * main thread of `heddle` by the subcommands that have the option. */
#include "cli/cards.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/cli.h"

/* A number of XRT's; it counts the cards of the machine. */
enum { HIGHEST_CARD = 255 };

/* Reads each number up to a comma or the end; strtoul() alone would take signs and blanks. */
bool cards_read(const char *list, unsigned cards[CARDS_MAX], unsigned *count) {
    const char *at = list;
    *count = 0;
    for (;;) {
        char *end = NULL;
        unsigned long number = 0;
        errno = 0;
        if (g_ascii_isdigit(*at)) number = strtoul(at, &end, 10);
        if (!end || errno || number > HIGHEST_CARD || (*end && *end != ',')) {
            cli_error("--card %s: a list of card numbers is needed, such as 0 or 0,1 (xbutil "
                      "examine lists them)",
                      list);
            return false;
        }
        for (unsigned i = 0; i < *count; i++)
            if (cards[i] == number) {
                cli_error("--card %s: card %lu stands there twice, and a card has one core", list,
                          number);
                return false;
            }
        if (*count == CARDS_MAX) {
            cli_error("--card: more than %d cards", CARDS_MAX);
            return false;
        }
        cards[(*count)++] = (unsigned)number;
        if (!*end) return true;
        at = end + 1;
    }
}

struct core_cards cards_cores(const unsigned *cards, const char *library, const char *image) {
    return (struct core_cards){.library = library ? library : CORE_CARD_LIBRARY,
                               .image = image,
                               .card = cards,
                               .overlap = true,
                               .run_timeout_ms = CORE_CARD_TIMEOUT_MS};
}
