#!/usr/bin/env bash
# record.sh BUILD_DIRECTORY - synthesises both engines, runs the benches on their netlists, and
# writes what passed into recorded.txt. For a change of rtl/ or of the benches; some twenty minutes.
. "$(dirname "$0")/../lint/common.sh"
. tests/synthesis/inputs.sh
build=${1:-build}
new=$(mktemp)
trap 'rm -f "$new"' EXIT
sed '/^#/!d' "$record" >"$new"
for engine in net_engine sm_engine; do
    tests/synthesis/synthesise.sh "$build" "$engine" "$build/tests/netlist" run
    echo "$engine synthesis $(inputs_hash "$build" "$engine" synthesis)" \
        "$(awk 'NF == 2 && $2 ~ /^[0-9]+$/ { printf "%s%s=%s", n++ ? " " : "", $1, $2 }' \
            "$build/synthesis/$engine.figures")" >>"$new"
    ctest --test-dir "$build" --no-tests=error --output-on-failure \
        -R "^full\.netlist\.$engine\.short$"
    echo "$engine netlist $(inputs_hash "$build" "$engine" netlist)" >>"$new"
done
cp "$new" "$record"
