#!/usr/bin/env bash
# card_model.sh - predicts how fast programs would run on a card, and what would limit them, from
# what the emulation of the synthesised form is asked to do (card_count.c): clocks of the core,
# runs (each a round trip of the host), beats through the rings, and the host's own seconds.
#
#   bench/card_model.sh [PAIRS [PROGRAM ARGUMENTS ...]]
#
# PAIRS of engines: 1 (default), 2 or 4. Default programs: vector_accumulate and sgemm_tiled, large
# enough to fill the GPU's SMs. The host looks at a run while the card is busy with the next; what
# is left of the round trips is computed (host/timing/core_pace.h). PCIe is assumed to carry 12 GB/s
# (16 lanes of the third generation have 15.75 before any protocol). The host's seconds are this
# machine's, now.
set -euo pipefail
cd "$(dirname "$0")/.."
pairs=${1:-1}
if [ $# -gt 0 ]; then shift; fi
case $pairs in
    1) library=build/lib/libheddle_swemu_nba.so ;;
    2 | 4) library=build/lib/libheddle_swemu_groups${pairs}_nba.so ;;
    *) echo "usage: bench/card_model.sh [1|2|4 [PROGRAM ARGUMENTS ...]]" >&2; exit 2 ;;
esac
trips=$(for mhz in 200 250 300; do for us in 0 2 5 10 20; do echo $((mhz * us)); done; done)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

predict() { # PROGRAM ARGUMENTS...
    : >"$out/counts"
    HEDDLE_XRT_BEHIND=$library HEDDLE_CARD_COUNTS=$out/counts HEDDLE_CARD_TRIPS=$trips \
        build/bin/heddle run -q --threads 1 --card 0 --out "$out/report" \
        --backend build/bench/libcard_count.so -- "build/apps/$1" "${@:2}" >"$out/log" 2>&1 ||
        { cat "$out/log"; exit 1; }
    echo "$*, $pairs pair(s) of engines"
    awk '{
        runs = $1; clocks = $2; issued = $3; bytes = $4 + $5; host = $8
        printf "  %d warp instructions, %.2f clocks each; %d runs of %.0f clocks; %.1f bytes of " \
               "rings each; host %.0f ns each\n\n", issued, clocks / issued, runs, clocks / runs,
               bytes / issued, host / issued * 1e9
        print "   MHz  trip,us   core,ms  waits,ms   PCIe,ms   host,ms    core M/s   whole M/s" \
              "   busy  limited by"
        at = 8
        for (mhz = 200; mhz <= 300; mhz += 50)
            for (i = split("0 2 5 10 20", trip, " "); i > 0; i--) {
                core = clocks / mhz / 1e3; waits = $++at / mhz / 1e3
                pcie = bytes / 12e6; own = host * 1e3
                most = core; limit = "the core"
                if (waits > most) { most = waits; limit = "round trips" }
                if (pcie > most) { most = pcie; limit = "PCIe" }
                if (own > most) { most = own; limit = "the host" }
                printf "  %4d %8d %9.2f %9.2f %9.2f %9.2f %11.1f %11.1f %5.0f%%  %s\n", mhz,
                       trip[6 - i], core, waits, pcie, own, issued / core / 1e3,
                       issued / (most > core + waits ? most : core + waits) / 1e3,
                       100 * core / (core + waits),
                       limit
            }
        print ""
    }' "$out/counts"
}

echo "busy: share of the core's clocks in which it runs, where it waits for round trips alone; some"
echo "per cent off, since a clock's run is not known here: --inject-latency counts exactly"
echo
if [ $# -gt 0 ]; then
    predict "$@"
else
    predict vector_accumulate -c 672 -r 40
    predict sgemm_tiled -n 384
fi
