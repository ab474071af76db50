#!/usr/bin/env bash
# synthesise.sh BUILD_DIRECTORY ENGINE NETLIST - runs rtl/syn/ENGINE.ys and compares what the
# netlist takes with limits.txt, which may not get worse. NETLIST: the program of netlist.c.
# Leaves BUILD_DIRECTORY/synthesis/ENGINE.{v,blif,log}.
. "$(dirname "$0")/../lint/common.sh"
need yosys "package yosys"
build=$1 engine=$2 netlist=$3
limits=tests/synthesis/limits.txt
out=$build/synthesis
mkdir -p "$out"
rm -f "$out/$engine".*
sed -e "s|build/generated|$build/generated|g; s|build/synthesis|$out|g" "rtl/syn/$engine.ys" \
    >"$out/$engine.ys"
yosys -q -l "$out/$engine.log" "$out/$engine.ys" >/dev/null 2>&1 || {
    grep -E '^ERROR' "$out/$engine.log" | tail -3
    echo "yosys failed: $out/$engine.log"
    exit 1
}
{
    # cells of block RAM and LUTs that the memories become: 18 Kbit, LUTs of memory
    awk '$1 ~ /^RAMB36/ { bram += 2 * $2 } $1 ~ /^RAMB18/ { bram += $2 } $1 ~ /^URAM/ { uram += $2 }
         $1 ~ /^RAM(32M16|64M8|256X1D)$/ { lut += 8 * $2 } $1 ~ /^RAM(32|64)M$/ { lut += 4 * $2 }
         $1 ~ /^RAM(128X1D|256X1S)$/ { lut += 4 * $2 } $1 ~ /^RAM512X1S$/ { lut += 8 * $2 }
         $1 ~ /^RAM(64X1D|32X1D|128X1S)$/ { lut += 2 * $2 } $1 ~ /^RAM(64|32)X1S$/ { lut += $2 }
         END { print "bram18", bram + 0; print "uram", uram + 0; print "lutram", lut + 0 }' \
        "$out/${engine}_memories.txt"
    "$netlist" "$out/$engine.blif" 40 || wrong "no figures of $out/$engine.blif"
} >"$out/$engine.figures"
while read -r name figure limit; do
    [ "$name" = "$engine" ] || continue
    value=$(awk -v f="$figure" '$1 == f { print $2 }' "$out/$engine.figures")
    printf '%-16s %8s  limit %8s\n' "$figure" "${value:-none}" "$limit"
    if [ -z "$value" ]; then
        wrong "$engine has no figure $figure"
    elif [ "$value" -gt "$limit" ]; then
        wrong "$figure is $value, more than $limit"
    fi
done < <(grep -v '^#' "$limits")
grep -q "^$engine " "$limits" || wrong "$limits has no limit for $engine"
sed -n '/^path/,$p' "$out/$engine.figures"
finish "Make it smaller or shorter again; docs/synthesis.md. Only with a reason: $limits."
