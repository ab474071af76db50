#!/usr/bin/env bash
# annotate.sh HEDDLE APPS PROGRAM LINE [OPTION...] - runs a program of apps/ and annotates it: the
# hottest line of its first kernel is the one with the text LINE, and counts are exact: those of
# instructions add up to those of lines, and these to what the report says of the kernel.
# PROGRAM: with its arguments, in one word. OPTION: of heddle run.
set -euo pipefail
heddle=$1 apps=$2 program=$3 line=$4
shift 4
. "$(dirname "$0")/../../support/need.sh"
need jq jq
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

stop() {
    echo "$program: $*"
    "$heddle" annotate "$out/run" --top 5 || true
    exit 1
}

read -ra words <<<"$program"
"$heddle" run -q --out "$out/run" "$@" -- "$apps/${words[0]}" "${words[@]:1}" >"$out/said" 2>&1 ||
    { cat "$out/said"; exit 1; }
"$heddle" annotate "$out/run" --json >"$out/view.json"

# the hottest line, by its text
jq -r '. as $v | .kernels[0] | .lines[.hottest[0]] | $v.files[.file].text[.line - 1]' \
    "$out/view.json" >"$out/hottest"
grep -qF -- "$line" "$out/hottest" || stop "the hottest line is $(cat "$out/hottest")"

# sums of lines and of instructions are those of their kernel, cause by cause
jq -e 'def sum: map(.counts | to_entries[]) | group_by(.key)
        | map({key: .[0].key, value: (map(.value) | add)}) | from_entries;
    [.kernels[] | (.lines | sum) == .counts and (.instructions | sum) == .counts
        and (.lines | map(.cycles) | add) == (.instructions | map(.cycles) | add)] | all' \
    "$out/view.json" >/dev/null || stop "sums of lines or instructions differ from the kernel's"

# and those of a kernel are what report.json says: the CPI stack without the cycles without a warp,
# instructions, sectors, conflicts, L1
jq -r '.kernels | sort_by(.name)[] | .counts as $c | def n($x): $c[$x] // 0;
    "\(.name) launches \(.launches) cycles \(.cycles)",
    "\(.name) issued \(n("issued"))",
    ("stall memory shared sfu pipe lg_throttle mio_throttle barrier membar drain sleep register " +
     "fetch constant" | split(" "))[] as $w | "\(.name) \($w) \(n("wait_" + $w))"' \
    "$out/view.json" >"$out/of_lines"
jq -r '.kernels | sort_by(.name)[] | .counts as $c | def n($x): $c[$x] // 0;
    "\(.name) sectors \(n("sectors")) conflicts \(n("conflict_passes"))" +
    " L1 \(n("l1_sectors")) \(n("l1_hits")) divergent \(n("divergent"))"' "$out/view.json" \
    >>"$out/of_lines"
groups='[.kernel_groups[] | select(.code != null and .timed)] | group_by(.name)[] | .[0].name as $n'
jq -r "$groups"' | def s(f): map(f) | add; "\($n) launches \(s(.launches)) cycles \(s(.cycles))",
    "\($n) issued \(s(.cpi_stack.issued))",
    ("stall memory shared sfu pipe lg_throttle mio_throttle barrier membar drain sleep register " +
     "fetch constant" | split(" "))[] as $w | "\($n) \($w) \(s(.cpi_stack[$w]))"' \
    "$out/run/report.json" >"$out/of_report"
jq -r "$groups"' | def s(f): map(f) | add; "\($n) sectors \(
    s([.accesses[].sectors] | add)) conflicts \(s(.bank_conflict_cycles))" + " L1 \(
    s(.l1_accesses)) \(s(.l1_accesses * (.l1_hit_rate // 0)) | round) divergent \(
    s(.divergent_branches))"' "$out/run/report.json" >>"$out/of_report"
diff "$out/of_report" "$out/of_lines" || stop "counts differ from the report's"
[ -s "$out/of_report" ] || stop "nothing was compared"
# threads: where no division took a slow path, whose instructions are no executions of the division
jq -r "$groups"' | "\($n) \(map(.thread_instructions) | add)"' "$out/run/report.json" \
    >"$out/threads"
jq -r '.kernels[] | .counts | select(.issued == .warps) as $c | "\($c.threads)"' "$out/view.json" |
    while read -r threads; do
        grep -q " $threads\$" "$out/threads" || stop "$threads threads are no kernel's"
    done

# a kernel is found by its name, its mangled name and its number; nothing is wider than 80 columns
read -r name symbol < <(jq -r '.kernels[0] | .name + " " + .symbol' "$out/view.json")
for name in "$name" "$symbol" 0; do
    COLUMNS=80 "$heddle" annotate "$out/run" "$name" --ptx --mir >"$out/text"
    if [ -e "$out/before" ]; then cmp "$out/before" "$out/text"; fi
    mv "$out/text" "$out/before"
done
awk 'length > 80 && !/\// { print; wide = 1 } END { exit wide }' "$out/before" ||
    stop "a line is wider than 80 columns"
