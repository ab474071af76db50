#!/usr/bin/env bash
# compare.sh HEDDLE APPS - `heddle compare` of real runs: a run beside itself, with other
# parameters, with another clock, and without timing; what it prints, its JSON against the two
# reports, and the exit status of --fail-above.
set -euo pipefail
heddle=$(realpath "$1") apps=$(realpath "$2")
. "$(dirname "$0")/../../support/need.sh"
need jq jq
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
failed=0
wrong() { echo "$*"; failed=1; }
run() { # NAME OPTIONS... -- PROGRAM
    local name=$1
    shift
    "$heddle" run -q --out "$name" "$@" >said 2>&1 </dev/null || { cat said; exit 1; }
}
compare() { # STATUS OPTIONS... A B
    local status=0 want=$1
    shift
    "$heddle" compare "$@" >said 2>errors || status=$?
    [ "$status" = "$want" ] ||
        wrong "compare $*: exit status $status, expected $want: $(cat errors)"
}
says() { grep -qF -- "$1" "${2:-said}" || wrong "not said: $1: $(cat "${2:-said}")"; }

run a -- "$apps/lu_decomposition"
run b -- "$apps/lu_decomposition"
run slow --set l2.latency=500 -- "$apps/lu_decomposition"
run clock --set clock.core=1000 --set network.clock=1000 -- "$apps/lu_decomposition"
run none --timing none -- "$apps/lu_decomposition"

# ---- two runs of one program have the same cycles and counters
compare 0 --fail-above 0 a b
says 'Same program, GPU, parameters and Heddle.'
compare 0 --json a b
jq -e '.different == [] and .total.change == 0 and .only_a == [] and .only_b == [] and
    ([.kernels[] | .change == 0 and .counters == []] | all)' said >/dev/null ||
    wrong "a and b differ"
[ "$(jq '.kernels | length' said)" = "$(jq '.kernel_groups | length' a/report.json)" ] ||
    wrong "not every kernel is compared"

# ---- slower memory: the report's own figures, and parts that add up
compare 0 --json a slow
jq -n -e --slurpfile c said --slurpfile a a/report.json --slurpfile b slow/report.json '
    def near($x; $y): ($x - $y) | fabs < 1e-6 * ($y | fabs) + 1e-6;
    def cycles($r; $k; $i): [$r[0].kernel_groups[] | select(.name == $k.name and
        "\(.grid | map(select(. > 1)) | join("x")) \(.block | map(select(. > 1)) | join("x"))" ==
        ($k.shapes[$i] | sub(" x "; " ") | sub("^1 "; " ")))] | .[0] | .cycles / .launches;
    $c[0] | (.different | map(.name)) == ["l2.latency"] and .total.change > 0.01 and
    near(.total.cycles[0]; [$a[0].kernel_groups[].cycles] | add) and
    near(.total.cycles[1]; [$b[0].kernel_groups[].cycles] | add) and
    ([.kernels[] | near(.cycles[0]; cycles($a; .; 0)) and near(.cycles[1]; cycles($b; .; 1)) and
        near([.parts[].a] | add; .cycles[0]) and near([.parts[].b] | add; .cycles[1])] | all) and
    ([.kernels[] | .parts[] | select(.name == "memory") | .b - .a] | add) > 0' >/dev/null ||
    wrong "the JSON of slower memory: $(jq -c '[.different, .total, .kernels[0]]' said)"
compare 1 --fail-above 1 a slow
says 'Different l2.latency: '
says 'slower by more than 1 %: lu_' errors
says 'slower by more than 1 %: all launches together, +' errors
compare 0 --fail-above 1 slow a
compare 0 --fail-above 900 a slow
awk 'length($0) > 80 { print "over 80 columns: " $0; bad = 1 } END { exit bad }' said || failed=1

# ---- another clock: times; no timing: no cycles
compare 0 --json a clock
jq -e '.changes_of == "time" and .total.change > 0' said >/dev/null || wrong "clocks: $(cat said)"
compare 0 none a
says 'No launch of A was timed: there are no cycles to compare.'
compare 125 --fail-above 5 a none
says 'heddle: error: --fail-above: no launch of none was timed' errors
exit $failed
