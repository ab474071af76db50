#!/usr/bin/env bash
# clock_sweep.sh DIR [-j N] [PROGRAM ARGUMENTS...] - a hydrodynamics program at three core clocks
# and three memory clocks, as in figure 5 of the first publication on SST's GPU model (LULESH there;
# here apps/hydro3d -s 22 -i 10 unless another program is named). Prints the speed-ups beside that
# publication's; table, CSV and picture are in DIR. The same command goes on when interrupted.
#
# The crossbar has the publication's 1,200 MHz, or the core's clock where that is lower. The
# look-ahead is 64 cycles at all clocks: a longer one would not fit into a memory access at 500 MHz.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
[ $# -ge 1 ] || { sed -n '2,5p' "$0" | cut -c3-; exit 2; }
out=$1
shift
jobs=()
if [ "${1:-}" = -j ]; then
    jobs=(-j "$2")
    shift 2
fi
[ $# -gt 0 ] || set -- "$here/build/apps/hydro3d" -s 22 -i 10
command -v jq >/dev/null || { echo "needs jq (apt-get install jq)" >&2; exit 2; }

"$here/build/bin/heddle" sweep "${jobs[@]}" --gpu v100-seed --out "$out" \
    --set clock.core:network.clock=500MHz:500MHz,1312MHz:1200MHz,1800MHz:1200MHz \
    --set clock.memory:hbm.clock=877MHz:877MHz,1200MHz:1200MHz,1600MHz:1600MHz \
    --set dram.model=hbm --set core.look_ahead=64 -- "$@"

jq -r '
    def time(core; memory): .points[] | select(.values["clock.core"] == core and
        .values["clock.memory"] == memory) | .results.kernel_time;
    def rounded: . * 1000 | round / 1000 | tostring;
    . as $s | ["877MHz", "1200MHz", "1600MHz"] as $memories |
    "\nspeed-up from        500 to 1312 MHz   1312 to 1800 MHz",
    "published                       2.5                1.3",
    ($memories[] as $m | "memory \($m)            " +
        ($s | time("500MHz"; $m) / time("1312MHz"; $m) | rounded) + "              " +
        ($s | time("1312MHz"; $m) / time("1800MHz"; $m) | rounded)),
    "\nmemory 877 to 1600 MHz at core clock (published: 1.04 at most)",
    ("500MHz", "1312MHz", "1800MHz" | . as $c | "\($c)  " +
        ($s | time($c; "877MHz") / time($c; "1600MHz") | rounded))' "$out/sweep.json"
