#!/usr/bin/env bash
# format.sh - C and C++ are formatted as .clang-format says. --fix rewrites them.
. "$(dirname "$0")/common.sh"
need clang-format-14 "package clang-format-14"
mapfile -t files < <(tracked '*.c' '*.h' '*.cpp' | grep -v '^apps/\|^include/device/')
if [ "${1:-}" = --fix ]; then
    clang-format-14 -i "${files[@]}"
    exit
fi
if ! clang-format-14 --dry-run -Werror "${files[@]}" 2>&1 | grep -a 'error:' | cut -c1-150; then
    exit 0
fi
echo
echo "Run: tests/lint/format.sh --fix"
exit 1
