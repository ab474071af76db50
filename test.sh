#!/usr/bin/env bash
# test.sh - builds Heddle and runs its tests. --full adds the long sweeps (label "full").
set -euo pipefail
cd "$(dirname "$0")"
. tools/setup.sh
exclude=(-LE full)
case "${1:-}" in
    --full) exclude=() ;;
    '') ;;
    *) echo "usage: ./test.sh [--full]" >&2; exit 2 ;;
esac
heddle_install
heddle_build release
ctest --test-dir build --no-tests=error --output-on-failure -j2 "${exclude[@]}"
