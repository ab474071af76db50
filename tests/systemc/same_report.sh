#!/usr/bin/env bash
# same_report.sh HEDDLE EMULATION PLATFORM OUT all|placed|neighbour PROGRAM ARGUMENTS... - runs a
# program on the emulation and on a SystemC platform, and compares the reports.
#
# all: one SM group; every value must be equal but those of the machine's time and memory, the
# core's own clocks included. placed: two SM groups on two threads, for which the platform has two
# cards; the core's own clocks may differ. neighbour: a platform whose bus and memory take time and
# have another user; at several clocks and quanta the simulated GPU must be the same, and the
# platform's own statistics must show both users.
. "$(dirname "$0")/../lint/common.sh"
. tests/support/report.sh
. tests/support/need.sh
need jq jq
heddle=$1 emulation=$2 platform=$3 out=$4 kind=$5
shift 5
program=$1
placement=(--threads 1 --sm-groups 1)
[ "$kind" != placed ] || placement=(--threads 2 --sm-groups 2)
rm -rf "$out"
mkdir -p "$out"
[ "$kind" != placed ] || export HEDDLE_PLATFORM_REPORT=$out/platform

# run NAME LIBRARY: leaves in $out/NAME the report and, in `plain`, what must be equal.
run() {
    local dir=$out/$1
    mkdir -p "$dir"
    "$heddle" run --timing rtl "${placement[@]}" --backend "$2" --out "$dir" -- "${@:3}" \
        >"$dir/said" 2>"$dir/errors" </dev/null || {
        wrong "exit status $? with $2"
        tail -n 5 "$dir/said" "$dir/errors"
        finish "$out has what was said."
    }
    {
        grep "^$(basename "$program"): " "$dir/said"
        plain_report "$dir"
        [ "$kind" != all ] || jq -r '.statistics[] | select(.name == "core_clocks")
            | "core_clocks = \(.value)"' "$dir/report.json"
    } >"$dir/plain"
}

# same NAME: compares with the emulation.
same() {
    diff "$out/emulation/plain" "$out/$1/plain" >"$out/$1/diff" || {
        wrong "$1: another result than with $emulation:"
        head -20 "$out/$1/diff"
    }
}

# figure NAME: prints a statistic of the platform's card 0 in the last report.
figure() {
    awk -v name="card0.$1" '$1 == name { print $2 }' "$HEDDLE_PLATFORM_REPORT"
}

run emulation "$emulation" "$@"
if [ "$kind" != neighbour ]; then
    run systemc "$platform" "$@"
    same systemc
    [ "$kind" != placed ] || grep -q '^card1\.core\.reads [1-9]' "$HEDDLE_PLATFORM_REPORT" ||
        wrong "the second card has done nothing"
else
    i=0
    # picoseconds of the core's clock, and of the quantum
    for times in "4000 4000000" "4000 4000" "3333 100000" "10000 50000000"; do
        i=$((i + 1))
        read -r HEDDLE_PLATFORM_CLOCK HEDDLE_PLATFORM_QUANTUM <<<"$times"
        HEDDLE_PLATFORM_REPORT=$out/platform.$i
        export HEDDLE_PLATFORM_CLOCK HEDDLE_PLATFORM_QUANTUM HEDDLE_PLATFORM_REPORT
        run "systemc.$i" "$platform" "$@"
        same "systemc.$i"
        for some in core.reads core.writes bus.core.transactions bus.core.waited_ps \
            bus.dma.transactions bus.dma.waited_ps dma.blocks; do
            [ "$(figure $some)" -gt 0 ] || wrong "clock and quantum $times: card0.$some is 0"
        done
        for none in core.errors dma.errors dma.wrong_bytes; do
            [ "$(figure $none)" = 0 ] ||
                wrong "clock and quantum $times: card0.$none is $(figure $none)"
        done
        [ "$(figure bus.core.bytes)" = \
            $(($(figure core.read_bytes) + $(figure core.written_bytes))) ] ||
            wrong "clock and quantum $times: bus and core count different bytes"
        echo "clock and quantum $times ps: core $(figure bus.core.bytes) bytes," \
            "dma $(figure bus.dma.bytes) bytes in $(figure time_ps) ps"
    done
fi
echo "$(grep -c . "$out/emulation/plain") values"
grep -E '^kernels\.[0-9]+\.(name|cycles) |^core_clocks' "$out/emulation/plain"
finish "$out has the reports."
