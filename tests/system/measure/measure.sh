#!/usr/bin/env bash
# measure.sh - measures a small model, and a machine without one; a run on the model then projects
# to itself.
#
#   measure.sh HEDDLE APPS
set -euo pipefail
heddle=$1 apps=$2
small=$(dirname "$(realpath "$0")")/small.ini
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
fail() {
    echo "$*" >&2
    exit 1
}

cp "$small" small.ini
"$heddle" project --measure --gpu ./small.ini -- "$apps/micro_capability" >said 2>log ||
    fail "not measured: $(cat log small-measured.ini.log)"
grep -q '^Small V100 (simulated): 36 values measured, 20 others: small-measured.ini$' said ||
    fail "$(cat said)"
[ -f small-measured.ini.run/report.json ] || fail "no report"

# within SECTION NAME LOW HIGH: the value is measured, and within limits
within() {
    awk -F'[=;|]' -v section="[$1]" -v name="$2" -v low="$3" -v high="$4" '
        /^\[/ { here = $0 == section }
        here && $1 == name " " { found = $2 >= low && $2 <= high && $4 == " measured " }
        END { exit !found }' small-measured.ini ||
        fail "$1.$2 is not from $3 to $4: $(cat small-measured.ini)"
}
# 4 SMs of 64 lanes at 1.38 GHz, of 128 bytes; latencies of the model's parameters
within sm count 4 4
within fp32 fma_max 0.70 0.7066
within fp64 add_max 0.175 0.1767
within int32 add_max 0.345 0.3533
within special op_max 0.0874 0.0884
within tensor fp16_max 4.8 5.66
within issue warp_max 21.5 22.1
within bandwidth l1_max 650 707
within bandwidth shared_max 680 707
within bandwidth l2_max 145 154
within bandwidth dram_max 48 56
within bandwidth dram_read_max 53 56
within bandwidth dram_write_max 54 57
within latency l1 29 32
within latency shared 18 20
within latency l2 210 235
within latency dram 400 500
# 2,717.6 and 1,142 cycles, and the way to the kernel's first instruction, less what passes of a
# kernel's end (launch.end) until its last atomic is back, some 300
within launch gap 1.70 2.05
within launch graph 0.54 0.85
within launch replace 260 320

"$heddle" run -q --gpu ./small.ini --out run -- "$apps/vector_add" >log 2>&1 || fail "$(cat log)"
"$heddle" project --from small-measured.ini --to ./small-measured.ini --csv rows.csv run \
    >said 2>&1 || fail "$(cat said)"
awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    {
        rows++
        off = $column["centre_us"] / $column["measured_us"] - 1
        if (off > 1e-4 || off < -1e-4) print "centre off by", off
        else good++
    }
    END { exit rows == 0 || good != rows }' rows.csv || fail "$(cat rows.csv said)"

# a program that says it ran on hardware: what it did not measure is the base's
"$heddle" project --measure --native --gpu v100-pcie --out board.ini -- /usr/bin/printf '%s\n' \
    'micro_capability: NAME Board' 'micro_capability: VALUE fp32.fma_max 13.5 TFLOP/s chains' \
    'micro_capability: VALUE clock.boost 1400 MHz asked' 'micro_capability: PASS all' >said 2>log ||
    fail "$(cat log)"
grep -q '^Board: 2 values measured, [0-9]* others: board.ini$' said || fail "$(cat said)"
grep -q '^fma_max = 13.5 ; TFLOP/s | measured | micro_capability, chains$' board.ini ||
    fail "$(cat board.ini)"
grep -q '^subcores = 4 ; sub-cores | vendor | v100-pcie, not measured: V100 whitepaper$' \
    board.ini || fail "$(cat board.ini)"
"$heddle" project --from board.ini --to small-measured.ini run >said 2>&1 || fail "$(cat said)"
