#!/usr/bin/env bash
# diagnosis.sh HEDDLE APPS SOURCES PROGRAM - runs one of the slow programs, whose sources are in
# SOURCES, or a healthy one, and checks what `heddle run` says of it: the rule, the source line, and
# that figures per kernel and per instruction agree.
set -euo pipefail
heddle=$1 apps=$2 sources=$3 program=$4
. "$(dirname "$0")/../../support/need.sh"
need jq jq
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
report=$out/report.json

stop() {
    echo "$program: $*"
    jq '[.kernels[] | {name, occupancy, sectors_per_request, throughput, diagnosis}]' "$report"
    exit 1
}

# run PROGRAM ARGS: its report goes to $out
run() {
    "$heddle" run --out "$out" "${options[@]}" -- "$apps/$1" "${@:2}" >"$out/said" 2>&1 ||
        { cat "$out/said"; exit 1; }
}

# slow RULE ARGS: the first diagnosis is of that rule, at a line of the source marked as the culprit
slow() {
    local found line
    run "slow_$program" "${@:2}"
    found=$(jq -r '.kernels[0].diagnosis[0].rule' "$report")
    [ "$found" = "$1" ] || stop "diagnosed as $found, not as $1"
    line=$(jq -r '.kernels[0].diagnosis[0].line' "$report")
    [ "$(jq -r '.kernels[0].diagnosis[0].file | split("/")[-1]' "$report")" = "$program.cu" ] ||
        stop "another file is named"
    sed -n "${line}p" "$sources/$program.cu" | grep -q 'the culprit' || stop "line $line is named"
    grep -q "at $program.cu:$line: $(jq -r '.kernels[0].diagnosis[0].text' "$report")" \
        "$out/said" || stop "the terminal does not say so"
}

# healthy PROGRAM ARGS: nothing is said of how it is written
healthy() {
    run "$@"
    jq -e '[.kernels[].diagnosis[].rule] - ["launch", "drain", "small_grid", "dram_bound",
        "pipe_bound", "constant_cache"] == []' "$report" >/dev/null || stop "it gets a diagnosis"
}

options=()
case $program in
    uncoalesced) slow uncoalesced ;;
    bank_conflicts) slow bank_conflicts ;;
    low_occupancy) slow low_occupancy ;;
    dram_bound) slow dram_bound ;;
    latency_bound) slow latency_bound ;;
    divergent) slow divergence ;;
    same_address) slow atomics ;;
    instruction_cache)
        options=(--set sm.count=16)
        slow instruction_cache -c 16
        ;;
    padded) healthy slow_padded ;;
    sgemm_tiled) healthy sgemm_tiled ;;
    uncounted) # without counts of instructions the rule is known, the line is not
        options=(--no-instruction-counts)
        run slow_same_address
        jq -e '.kernels[0].diagnosis[0] | .rule == "atomics" and .file == null and .line == null
            and .ptx_line == null' "$report" >/dev/null || stop "it names a line"
        [ "$(wc -l <"$out/instructions.csv")" = 1 ] || stop "instructions were counted"
        exit 0
        ;;
    *) stop "no such program" ;;
esac

# Sums of the instructions' counts are those of the kernels; the parts of a kernel are plausible.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    { warps += $column["warps"]; threads += $column["threads"]; sectors += $column["sectors"]
      conflicts += $column["conflict_passes"]; divergent += $column["divergent"] }
    END { printf "%d %d %d %d %d\n", warps, threads, sectors, conflicts, divergent }' \
    "$out/instructions.csv" >"$out/of_instructions"
jq -r '[.kernels[]] | "\(map(.warp_instructions) | add) \(map(.thread_instructions) | add) \(
    map([.accesses[].sectors] | add) | add) \(map(.bank_conflict_cycles) | add) \(
    map(.divergent_branches) | add)"' "$report" >"$out/of_kernels"
diff "$out/of_kernels" "$out/of_instructions" || stop "instructions.csv has other sums"
jq -e '[.kernels[] | (.occupancy | .achieved > 0 and .achieved <= .theoretical * 1.001
            and .theoretical <= 1 and .limiter != null)
        and ([.throughput[] | . >= 0 and . <= 1] | all)
        and ([.pipe_utilization[] | . >= 0 and . <= 1] | all)] | all' "$report" >/dev/null ||
    stop "a figure is impossible"
