/* shrink.h - makes a stream on which a core differs from the reference as small as it can: whole
 * kernels, CTAs, instructions, lines and settings go as long as the difference stays. */
#ifndef REFERENCE_SHRINK_H
#define REFERENCE_SHRINK_H

#include <functional>

#include "tests/rtl/reference/stream.h"

namespace reference {

/* `differs` is asked about each smaller stream; false also for a stream that is not legal any more.
 */
Stream shrink(const Stream &stream, const std::function<bool(const Stream &)> &differs);
/* All settings and instructions, for people. */
std::string stream_text(const Stream &stream);

} // namespace reference

#endif
