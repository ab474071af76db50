#!/usr/bin/env bash
# format.sh [--fix] - checks that C, C++ and JavaScript files are formatted as .clang-format says;
# --fix formats them.
. "$(dirname "$0")/common.sh"
need clang-format-14 clang-format-14
mapfile -t files < <(tracked '*.c' '*.h' '*.cpp' '*.js' | grep -v '^apps/\|^include/')
if [ "${1:-}" = --fix ]; then
    clang-format-14 -i "${files[@]}"
    exit
fi
said=$(clang-format-14 --dry-run -Werror "${files[@]}" 2>&1) && exit 0
grep -aiE 'error' <<<"$said" | cut -c1-150 | head -40 || true
echo
echo "Run: tests/lint/format.sh --fix"
exit 1
