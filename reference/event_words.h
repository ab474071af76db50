/* event_words.h - events as the words that a core writes into its event ring. */
#ifndef REFERENCE_EVENT_WORDS_H
#define REFERENCE_EVENT_WORDS_H

#include "reference/words.h"

namespace reference {

/* Writes the two 64-bit words of an event, their check 0: word `event`, or `remote` for a request
 * that leaves the GPU and a reply to a customer that is no SM. */
void encode_event(const Event &e, std::uint64_t *w);

} // namespace reference

#endif
