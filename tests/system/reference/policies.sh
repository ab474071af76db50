#!/usr/bin/env bash
# policies.sh HEDDLE PROGRAM APPS OUT - plug-ins of the reference model: the model's own policies as
# plug-ins change nothing, others what they should; the report names them, and a rerun has them.
set -euo pipefail
heddle=$1 program=$2 apps=$3 out=$4
. "$(dirname "$0")/../../support/need.sh"
need jq jq
need cc gcc
rm -rf "$out"
mkdir -p "$out"
export XDG_CACHE_HOME=$out/cache
failed=0

wrong() {
    echo "$*"
    failed=$((failed + 1))
}

# run NAME OPTIONS -- PROGRAM ...: sets cycles and hits, of L1
run() {
    local dir=$out/$1
    "$heddle" run -q --timing reference --out "$dir" "${@:2}" >"$out/said" 2>&1 </dev/null || {
        tail -n 3 "$out/said"
        wrong "$*: failed"
    }
    cycles=$(jq '[.kernels[].cycles] | add' "$dir/report.json")
    hits=$(jq '.statistics[] | select(.name == "l1_hits") | .value' "$dir/report.json")
}

# same PLUG-IN PROGRAM ...: the model's own policy as a plug-in
same() {
    run own -- "${@:2}"
    local before=$cycles hash
    hash=$(jq '[.kernels[].issue_hash]' "$out/own/report.json")
    run plug --plugin "$1" -- "${@:2}"
    [ "$cycles" = "$before" ] && [ "$(jq '[.kernels[].issue_hash]' "$out/plug/report.json")" = \
        "$hash" ] || wrong "$*: $cycles cycles with the plug-in, $before without"
}
same cggty "$apps/sgemm_tiled" -n 64
same cggty "$program" phases
same fifo "$program" reuse
[ "$(find "$XDG_CACHE_HOME" -name '*.so' | wc -l)" = 2 ] || wrong "a plug-in was compiled twice"

# A warp scheduler: among few warps that take turns none is left behind, whose last dependent
# instructions nothing hides.
run own -- "$program" phases
before=$cycles
run plug --plugin two_level -- "$program" phases
[ "$cycles" -lt $((before * 96 / 100)) ] || wrong "two_level: $cycles cycles, $before without"

# Replacement: lines that are used again stay with LRU, and others than with FIFO leave at random.
run own -- "$program" reuse
before=$cycles fifo_hits=$hits
run plug --plugin lru -- "$program" reuse
[ "$cycles" -lt "$before" ] && [ "$hits" -gt "$fifo_hits" ] ||
    wrong "lru: $cycles cycles and $hits hits, FIFO $before and $fifo_hits"
run plug --plugin random -- "$program" reuse
[ "$cycles" -gt "$before" ] && [ "$hits" -lt "$fifo_hits" ] ||
    wrong "random: $cycles cycles and $hits hits, FIFO $before and $fifo_hits"

# A prefetcher: half of the lines of a sequence are on their way.
run own -- "$program" sequence
before=$cycles
run plug --plugin next_line --plugin lru -- "$program" sequence
[ "$cycles" -lt $((before * 2 / 3)) ] || wrong "next_line: $cycles cycles, $before without"
names=$(jq -r '[.inputs.plugins[].name] | join(" ")' "$out/plug/report.json")
[ "$names" = "next_line lru" ] || wrong "the report names other plug-ins: $names"
jq -e '.run.notes | index("policies of plug-ins: next_line, lru")' "$out/plug/report.json" \
    >/dev/null || wrong "the report has no note of the plug-ins"

# A file of the user's own, and the run again; then with another text.
policies=$(dirname "$heddle")/../share/heddle/policies
cp "$policies/next_line.c" "$out/mine.c"
run mine --plugin "$out/mine.c" -- "$program" sequence
[ "$(jq -r '.inputs.plugins[0].sha256' "$out/mine/report.json")" = \
    "$(sha256sum "$out/mine.c" | cut -d' ' -f1)" ] || wrong "another sum than that of the file"
"$heddle" rerun -q "$out/mine" --out "$out/again" >"$out/said" 2>&1 || wrong "rerun: another result"
sed -i 's/line + 1/line + 2/' "$out/mine.c"
status=0
"$heddle" rerun -q "$out/mine" --out "$out/again" >"$out/said" 2>&1 || status=$?
[ "$status" = 1 ] && grep -q "mine\.c" "$out/said" ||
    wrong "rerun with a changed plug-in: exit status $status: $(cat "$out/said")"
so=$(find "$XDG_CACHE_HOME" -name '*.so' | head -1)
cp "$so" "$out/mine.so"
run plug --plugin "$out/mine.so" -- "$program" sequence

echo "$failed wrong"
[ "$failed" -eq 0 ]
