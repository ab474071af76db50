#!/usr/bin/env bash
# run.sh - from a fresh clone to a first result: installs what is missing, builds Heddle, and runs
# vector_add on the simulated V100. Arguments replace the program: ./run.sh build/apps/reduce
# It does not build what only tests and benches need: test.sh does that, or cmake --build build.
set -euo pipefail
cd "$(dirname "$0")"
. tools/setup.sh
heddle_install run
heddle_build release heddle_user
[ $# -gt 0 ] || set -- build/apps/vector_add
exec build/bin/heddle run --out build/report -- "$@"
