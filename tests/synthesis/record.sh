#!/usr/bin/env bash
# record.sh BUILD_DIRECTORY - synthesises both engines, runs the benches on their netlists, and
# writes what passed into recorded.txt. For a change of rtl/ or of the benches; some twenty minutes,
# or half of that where synthesis is on record already.
. "$(dirname "$0")/../lint/common.sh"
. tests/synthesis/inputs.sh
build=${1:-build}
new=$(mktemp)
trap 'rm -f "$new"' EXIT
sed '/^#/!d' "$record" >"$new"
for engine in net_engine sm_engine; do
    hash=$(inputs_hash "$build" "$engine" synthesis)
    if ! figures=$(on_record "$engine" synthesis "$hash"); then
        tests/synthesis/synthesise.sh "$build" "$engine" "$build/tests/netlist" run
        figures=$(awk 'NF == 2 && $2 ~ /^[0-9]+$/ { printf "%s%s=%s", n++ ? " " : "", $1, $2 }' \
            "$build/synthesis/$engine.figures")
    fi
    echo "$engine synthesis $hash ${figures#"${figures%%[! ]*}"}" >>"$new"
    ctest --test-dir "$build" --no-tests=error --output-on-failure \
        -R "^full\.netlist\.$engine\.short$"
    echo "$engine netlist $(inputs_hash "$build" "$engine" netlist)" >>"$new"
done
cp "$new" "$record"
