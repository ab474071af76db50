#!/usr/bin/env bash
# verilator.sh BUILD_DIRECTORY [plain] - checks that the RTL passes verilator --lint-only -Wall, in
# both forms of assignment, with two sub-cores, with 16 bits of time, with assertions, and with four
# pairs of engines; plain: in the simulated form alone. rtl/heddle.vlt lists the exceptions, each
# with its reason. (VARHIDDEN: with several engines Verilator 5.006 takes the result of a function
# for a signal that hides the function.)
. "$(dirname "$0")/common.sh"
need verilator verilator
build=${1:-build}
[ -f "$build/generated/heddle_gen.svh" ] || {
    echo "$build/generated/heddle_gen.svh is not built: build first"
    exit 1
}
mapfile -t sources < <(grep -v '^//' rtl/heddle.f | sed 's|^|rtl/|')
forms=("" +define+HEDDLE_NBA -GSUB_BITS=1 -GTIME_BITS=16 +define+HEDDLE_ASSERT
    "-GGROUPS=4 -Wno-VARHIDDEN" "-GGROUPS=4 -Wno-VARHIDDEN +define+HEDDLE_NBA")
[ "${2:-}" != plain ] || forms=("")
for form in "${forms[@]}"; do
    read -ra options <<<"$form"
    while read -r line; do wrong "$line"; done < <(
        verilator --lint-only -Wall ${options[@]+"${options[@]}"} -I"$build/generated" -Irtl \
            -Irtl/sm -Irtl/l2 --top-module heddle_kernel rtl/heddle.vlt "${sources[@]}" 2>&1 |
            grep -E '^%(Warning|Error)' || true
    )
done
finish "Mend the text, or except the rule for the file in rtl/heddle.vlt, with the reason."
