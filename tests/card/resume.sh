#!/usr/bin/env bash
# resume.sh HEDDLE PROGRAM - memory of a card answers a write with an error in the middle of a run
# with checkpoints: the run ends with a message that names the fault and the checkpoint, and goes on
# from there to the report of a run without the fault.
set -eu
heddle=$1
program=("$2" -n 64 -i 10)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
run() { "$heddle" run -q "$@" --out "$out/report" -- "${program[@]}" >"$out/text" 2>"$out/errors"; }
fail() {
    echo "$1" >&2
    cat "$out/errors" >&2
    exit 1
}
says() { grep -qxF "$1" "$out/errors" || fail "not said: $1"; }

run --checkpoint "$out/whole" --every 20 || fail "the run without a fault failed"
mv "$out/report/kernels.csv" "$out/wanted"
[ "$(wc -l <"$out/wanted")" -gt 60 ] || fail "few launches"
hint="heddle: with --checkpoint DIR, a run can go on after a fault of a card (docs/checkpoints.md)"
fault="heddle: error: .*: the timing core stopped at cycle"

export HEDDLE_EMULATION=write_error=600
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
diff "$out/wanted" "$out/report/kernels.csv" || fail "the report of the run that went on differs"
