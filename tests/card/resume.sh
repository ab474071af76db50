#!/usr/bin/env bash
# resume.sh HEDDLE PROGRAM - memory of a card answers a write with an error in the middle of a run
# with checkpoints: the run ends with a message that names the fault and the checkpoint, and goes on
# from there to the report of a run without the fault.
set -eu
heddle=$1
program=("$2" -n 48)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
run() { "$heddle" run -q "$@" --out "$out/report" -- "${program[@]}" >"$out/text" 2>"$out/errors"; }
fail() {
    echo "$1" >&2
    cat "$out/errors" >&2
    exit 1
}
# kernels.csv without wall_s
kernels() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "wall_s") wall = i; if (!wall) exit 1 }
             { $wall = ""; print }' "$out/report/kernels.csv"
}
says() { grep -qxF "$1" "$out/errors" || fail "not said: $1"; }

run --checkpoint "$out/whole" --every 20 || fail "the run without a fault failed"
kernels >"$out/wanted"
[ "$(wc -l <"$out/wanted")" -gt 60 ] || fail "few launches"
hint="heddle: with --checkpoint DIR, a run can go on after a fault of a card (docs/checkpoints.md)"
fault="heddle: error: timing core not available: the timing core stopped at cycle"

export HEDDLE_EMULATION=write_error=700
status=0
run --card 0 --backend "$(dirname "$heddle")/../lib/libheddle_swemu.so" || status=$?
[ $status = 125 ] || fail "exit status $status, not 125"
says "$hint"
status=0
run --checkpoint "$out/saved" --every 20 || status=$?
[ $status = 125 ] || fail "exit status $status, not 125"
grep -q "^$fault [0-9]*: memory answered a burst of the rings with an error" "$out/errors" ||
    fail "another fault"
says "heddle: the last checkpoint holds: go on from there, on another card or on the emulation, \
with --resume $out/saved"
status=0
HEDDLE_EMULATION=write_error=3 run --checkpoint "$out/early" --every 20 || status=$?
[ $status = 125 ] || fail "exit status $status, not 125"
says "heddle: there is no checkpoint yet: the fault came before the first one"

unset HEDDLE_EMULATION
run --resume "$out/saved" || fail "the run cannot go on"
kernels | diff "$out/wanted" - || fail "the report of the run that went on differs"
