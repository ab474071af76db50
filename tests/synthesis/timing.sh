#!/usr/bin/env bash
# timing.sh BUILD_DIRECTORY ENGINE - the longest path of a synthesised engine in picoseconds
# (rtl/syn/timing.ys), with the cells that it passes; limits.txt may not get worse. It leaves
# BUILD_DIRECTORY/synthesis/ENGINE_timing.log.
. "$(dirname "$0")/../lint/common.sh"
need yosys yosys
build=$1 engine=$2 name=$2_timing
out=$build/synthesis
mkdir -p "$out"
{
    sed '/^# what the memories become/,$d; /^write_/d' "rtl/syn/$engine.ys"
    cat rtl/syn/timing.ys
} | sed "s|build/generated|$build/generated|g; s|build/synthesis/timing|$out/$name|g" \
    >"$out/$name.ys"
yosys -q -l "$out/$name.log" "$out/$name.ys" >/dev/null 2>&1 || {
    grep -E '^ERROR' "$out/$name.log" | tail -3
    echo "yosys failed: $out/$name.log"
    exit 1
}
# A path is printed from its end, a line for each cell: picoseconds, name, (cell.from->to).
path=$(sed -n '/^Latest arrival time in/,/<primary input>/p' "$out/$name.log" |
    grep -oE '^ *[0-9]+ .*\(.*\)|[0-9]+:$' | sed -E 's/ [^ ]+ \(/ (/')
value=$(head -1 <<<"$path" | tr -d ':')
sed 1d <<<"$path"
[ -n "$value" ] || wrong "no time in $out/$name.log"
grep -E "has no timing arcs|Cell type '[^\$]*' not recognised" "$out/$name.log" &&
    wrong "cells without a time"
limit=$(awk -v e="$name" '$1 == e && $2 == "ps" { print $3 }' tests/synthesis/limits.txt)
printf '%-16s %8s  limit %8s\n' picoseconds "${value:-none}" "${limit:-none}"
if [ -z "$limit" ]; then
    wrong "tests/synthesis/limits.txt has no limit for $name"
elif [ "${value:-0}" -gt "$limit" ]; then
    wrong "the longest path takes $value ps, more than $limit"
fi
finish "Shorten the path, or raise the limit with a reason (docs/synthesis.md)."
