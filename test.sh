#!/usr/bin/env bash
# test.sh [--smoke | --full] - builds Heddle and runs its tests.
# --smoke: unit tests, error messages, generated pages, golden cycles and lints; before each commit.
# --full: also the long sweeps (label "full").
set -euo pipefail
cd "$(dirname "$0")"
. tools/setup.sh
select=(-LE full) target=all
case "${1:-}" in
    --smoke)
        select=(-LE full -E "^lint[.](cppcheck|verilator|yosys|pages)|^xclbin[.]sources"
            -R "^(unit|negative|docs|lint|xclbin)[.]|^system[.]golden|^app[.]vector_add[.]clang")
        target=heddle_smoke
        ;;
    --full) select=() ;;
    '') ;;
    *) echo "usage: ./test.sh [--smoke | --full]" >&2; exit 2 ;;
esac
heddle_install run test
heddle_build release "$target"
ctest --test-dir build --no-tests=error --output-on-failure -j"$(nproc)" "${select[@]}"
