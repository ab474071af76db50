#!/usr/bin/env bash
# synthesise.sh BUILD_DIRECTORY ENGINE NETLIST [run] - synthesises an engine (rtl/syn/ENGINE.ys), or
# the whole kernel, and compares what the netlist takes with limits.txt, which may not get worse.
# NETLIST: the program of netlist.c. Without `run`, figures on record for the same inputs are enough
# (inputs.sh); otherwise it leaves BUILD_DIRECTORY/synthesis/ENGINE.{v,blif,log,figures,inputs}.
. "$(dirname "$0")/../lint/common.sh"
. tests/synthesis/inputs.sh
need yosys yosys
build=$1 engine=$2 netlist=$3 run=${4:-}
limits=tests/synthesis/limits.txt
out=$build/synthesis

synthesise() {
    mkdir -p "$out"
    rm -f "$out/$engine".* "$out/${engine}_memories.txt"
    sed -e "s|build/generated|$build/generated|g; s|build/synthesis|$out|g" "rtl/syn/$engine.ys" \
        >"$out/$engine.ys"
    yosys -q -l "$out/$engine.log" "$out/$engine.ys" >/dev/null 2>&1 || {
        grep -E '^ERROR' "$out/$engine.log" | tail -3
        echo "yosys failed: $out/$engine.log"
        exit 1
    }
    {
        # cells of block RAM and LUTs that the memories become: 18 Kbit, LUTs of memory
        [ ! -f "$out/${engine}_memories.txt" ] ||
            awk '$1 ~ /^RAMB36/ { bram += 2 * $2 } $1 ~ /^RAMB18/ { bram += $2 }
             $1 ~ /^URAM/ { uram += $2 }
             $1 ~ /^RAM(32M16|64M8|256X1D)$/ { lut += 8 * $2 }
             $1 ~ /^RAM(32|64)M$/ { lut += 4 * $2 }
             $1 ~ /^RAM(128X1D|256X1S)$/ { lut += 4 * $2 } $1 ~ /^RAM512X1S$/ { lut += 8 * $2 }
             $1 ~ /^RAM(64X1D|32X1D|128X1S)$/ { lut += 2 * $2 }
             $1 ~ /^RAM(64|32)X1S$/ { lut += $2 }
             END { print "bram18", bram + 0; print "uram", uram + 0; print "lutram", lut + 0 }' \
            "$out/${engine}_memories.txt"
        "$netlist" "$out/$engine.blif" 40 || wrong "no figures of $out/$engine.blif"
    } >"$out/$engine.figures"
    echo "$hash" >"$out/$engine.inputs"
}

hash=$(inputs_hash "$build" "$engine" synthesis)
if [ "$run" != run ] && figures=$(on_record "$engine" synthesis "$hash"); then
    echo "as recorded for the same RTL, scripts and yosys in $record:"
    figures=$(tr ' ' '\n' <<<"$figures" | sed 's/=/ /')
else
    # what an earlier test left for the same inputs is as good as a new one
    [ "$(cat "$out/$engine.inputs" 2>/dev/null)" = "$hash" ] && [ -s "$out/$engine.blif" ] ||
        synthesise
    figures=$(cat "$out/$engine.figures")
fi
while read -r name figure limit; do
    [ "$name" = "$engine" ] || continue
    value=$(awk -v f="$figure" '$1 == f { print $2 }' <<<"$figures")
    printf '%-16s %8s  limit %8s\n' "$figure" "${value:-none}" "$limit"
    if [ -z "$value" ]; then
        wrong "$engine has no figure $figure"
    elif [ "$value" -gt "$limit" ]; then
        wrong "$figure is $value, more than $limit"
    fi
done < <(grep -v '^#' "$limits")
grep -q "^$engine " "$limits" || wrong "$limits has no limit for $engine"
sed -n '/^path/,$p' <<<"$figures"
finish "Make it smaller or shorter again; docs/synthesis.md. Only with a reason: $limits."
