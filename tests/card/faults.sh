#!/usr/bin/env bash
# faults.sh HEDDLE FAULTY_LIBRARY EMULATION PROGRAM - `heddle card check` and `heddle run --card` on
# cards that are broken in one way each (tests/support/faulty_xrt.c): the line that says so, word
# for word, exit status 125, and no other line that fails.
set -u
heddle=$1 faulty=$2 program=$4
export HEDDLE_XRT_BEHIND=$3
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
wrong=0
complain() {
    echo "$1: $2" >&2
    wrong=$((wrong + 1))
}

# check FAULT STEP TEXT [OPTIONS]: the step of `heddle card check` that fails, and its text.
check() {
    local fault=$1 step=$2 text=$3 status
    shift 3
    HEDDLE_FAULT=$fault "$heddle" card check --backend "$faulty" "$@" >"$out/text" 2>"$out/errors"
    status=$?
    [ $status = 125 ] || complain "$fault" "exit status $status, not 125"
    printf '%-8s %-10s %s\n' FAILED "$step" "$text" >"$out/wanted"
    grep '^FAILED' "$out/text" | diff "$out/wanted" - >&2 || complain "$fault" "another line"
    [ ! -s "$out/errors" ] || complain "$fault" "$(cat "$out/errors")"
}

# run FAULT TEXT: the error of `heddle run`.
run() {
    local fault=$1 status
    HEDDLE_FAULT=$fault "$heddle" run --out "$out/report" --card 0 --backend "$faulty" \
        -- "$program" >/dev/null 2>"$out/errors"
    status=$?
    [ $status = 125 ] || complain "run, $fault" "exit status $status, not 125"
    grep -qxF "heddle: error: $2" "$out/errors" || complain "run, $fault" "$(cat "$out/errors")"
}

HEDDLE_FAULT=none "$heddle" card check --backend "$faulty" >"$out/text" ||
    complain none "$(cat "$out/text")"
grep -q '^ok       rate ' "$out/text" || complain none "no rate"

no_device="no device 0 in $faulty: No such device: every SM group needs one (the emulation has \
64); is a card there, and does its driver run (heddle doctor)?"
check no_device identity "$no_device"
check no_image identity "device 0 holds no image: give one with --image"
check bad_image identity "the image x.xclbin could not be loaded: Invalid argument" --image x.xclbin
check no_kernel identity "the image of device 0 has no kernel heddle_kernel, or another process \
uses it"
check off_the_bus identity "all registers of device 0 read as ones: the card has left the bus, or \
was never programmed (xbutil examine)"
check other_kernel identity "the kernel is no Heddle core: magic 0x12345678 instead of 0x48444c43"
check other_version identity "the timing core has version 3, this program speaks version 2: build \
both from the same sources"
id=$(HEDDLE_FAULT=none "$heddle" card check --backend "$faulty" |
    sed -n 's/^ok .*build id 0x\([0-9a-f]*\):.*/\1/p')
check other_tables identity "the timing core was made from other tables (build id \
$(printf '0x%08x' $((16#$id ^ 1))), this program 0x$id): build both from the same sources"
check no_memory identity "timing core: xrtBOAlloc failed: Cannot allocate memory"
export HEDDLE_EMULATION=memory=card
check no_copy memory "byte 0 of 1048576 came back from the card's memory as part of \
0x0000000000000000 instead of 0x0000000000000001"
check bad_copy memory "byte 524288 of 1048576 came back from the card's memory as part of \
0x0000000000000009 instead of 0x0000000000000001"
unset HEDDLE_EMULATION
check hang streams "stream 1: timing core: waiting for a run (it hangs) failed"
check lost streams "stream 1: timing core: xrtRunStart failed: No such device"
check aborted streams "stream 1: timing core: xrtRunWaitFor failed"
check dead_counters streams "stream 1: timing core: xrtKernelReadRegister of a counter failed: \
Input/output error"
check bad_command streams "stream 1: the timing core stopped at cycle 128: a beat of the command \
ring is not the one that the host wrote: the ring is damaged, or a write was lost"
damaged="beat 14 of the timing core's events is not what the core wrote: the ring is damaged, or a \
write was lost"
check bad_event streams "stream 1: $damaged"
check lost_events streams "stream 1: $damaged"
check bad_report streams "stream 1: the report of run 3 is not what the timing core wrote: its \
buffer is damaged"
check lost_report streams "stream 1: run 3 of the timing core has ended, but its report did not \
come: there is that of run 1"
bus="memory answered a burst of the rings with an error: an uncorrectable error of the card's \
memory, or no memory at that address"
export HEDDLE_EMULATION=read_error=2
check none streams "stream 1: the timing core stopped at cycle 0: $bus"
HEDDLE_EMULATION=write_error=3
check none streams "stream 1: the timing core stopped at cycle 64: $bus"
unset HEDDLE_EMULATION
HEDDLE_FAULT=wrong_hash "$heddle" card check --backend "$faulty" >"$out/text"
grep -qE '^FAILED   streams    stream 1: [0-9]+ warp instructions, [0-9]+ cycles, hashes ' \
    "$out/text" || complain wrong_hash "$(cat "$out/text")"

run no_device "$no_device"
run other_shape "the GPU's SMs have 4 sub-cores (sm.subcores), those of the timing core in $faulty \
have 2: leave --backend out, and the emulation that fits is used"
run hang "timing core not available: timing core: waiting for a run (it hangs) failed"
run lost "timing core not available: timing core: xrtRunStart failed: No such device"
# the counters cannot be read any more, at whatever time: never a report of zeros and status 0
late=0
for ((at = 0;; at += 150)); do
    HEDDLE_FAULT=late_counters HEDDLE_FAULT_AT=$at "$heddle" run --out "$out/report" --card 0 \
        --backend "$faulty" -- "$program" >/dev/null 2>"$out/errors"
    status=$?
    [ $status = 0 ] && break
    late=$((late + 1))
    [ $status = 125 ] || complain "late_counters, $at" "exit status $status, not 125"
    grep -q "^heddle: error: .*xrtKernelReadRegister of a counter failed: Input/output error" \
        "$out/errors" || complain "late_counters, $at" "$(cat "$out/errors")"
    [ $late -lt 100 ] || break
done
[ $late -gt 5 ] && [ $late -lt 100 ] || complain late_counters "$late times"
# two runs are under way
disagree="timing core and host disagree:"
run bad_event "$disagree beat 0 of the timing core's events is not what the core wrote: the ring \
is damaged, or a write was lost"
run lost_report "$disagree run 3 of the timing core has ended, but its report did not come: there \
is that of run 1"
run bad_report "$disagree the report of run 3 is not what the timing core wrote: its buffer is \
damaged"
run bad_command "$disagree the timing core stopped at cycle 0: a beat of the command ring is not \
the one that the host wrote: the ring is damaged, or a write was lost"
[ $wrong = 0 ]
