/* compare_rtl.h - the command line of the comparisons of RTL with the reference model:
 *
 *   compare_X                       directed streams, then 20 random ones
 *   compare_X FIRST COUNT           random streams of these seeds
 *   compare_X NAME                  one directed stream
 *   compare_X ... lines=N           random streams with at most N lines per instruction,
 *                 sms=N items=N     N SMs, N instructions per warp
 *   compare_X ... instances=N       of the core
 *   compare_X ... plain             buffers of 64, no delays of host and ports
 *   compare_X ... shrink            every difference on the smallest stream that shows it
 *   compare_X ... coverage          prints what the streams reached, and fails when a feature was
 *                                   reached less than 1,000 times or a pair of them less than 10
 */
#ifndef COMPARE_COMPARE_RTL_H
#define COMPARE_COMPARE_RTL_H

#include "tests/rtl/reference/compare.h"

namespace reference {

/* Makes the core under test; the seed, when not 0, makes its surroundings slow at random. */
using MakeTested =
    std::function<std::unique_ptr<CoreUnderTest>(std::uint64_t delay_seed, unsigned instances)>;

/* @return exit status: 0: all equal */
int compare_rtl(int argc, char **argv, const MakeTested &make);

} // namespace reference

#endif
