#!/usr/bin/env bash
# modules.sh BUILD_DIRECTORY TEST - maps the modules of modules/ as rtl/syn maps the engines, and
# runs TEST (test_modules.c) on their netlists.
. "$(dirname "$0")/../../lint/common.sh"
need yosys yosys
out=$1/synthesis/modules
mkdir -p "$out"
for file in tests/synthesis/netsim/modules/*.sv; do
    name=$(basename "$file" .sv)
    cat <<EOF
design -reset
read_verilog -sv $file
hierarchy -check -top $name
script rtl/syn/coarse.ys
script rtl/syn/map.ys
write_blif -cname -param $out/$name.blif
EOF
done >"$out/modules.ys"
yosys -q -l "$out/modules.log" "$out/modules.ys" >/dev/null 2>&1 || {
    grep -E '^ERROR' "$out/modules.log" | tail -3
    echo "yosys failed: $out/modules.log"
    exit 1
}
HEDDLE_NETLISTS=$out exec "$2" -j1
