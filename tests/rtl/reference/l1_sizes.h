/* l1_sizes.h - sizes of L1 for random streams. */
#ifndef REFERENCE_L1_SIZES_H
#define REFERENCE_L1_SIZES_H

#include "tests/rtl/reference/stream.h"

namespace reference {

/* Gives L1 sizes: for FlushL1 before a phase; and on an SM whose CTAs follow one another, before
 * some of them, while other SMs are at work. */
void add_l1_sizes(Stream &stream);

} // namespace reference

#endif
