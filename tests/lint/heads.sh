#!/usr/bin/env bash
# heads.sh - checks that the head of each module of the timing core says what it is for, and its
# parts Latency, Throughput and Rules; and that rtl/module_tests.txt names its tests, and files that
# exist. The pages of docs/rtl are made from them.
. "$(dirname "$0")/common.sh"
mapfile -t sources < <(grep -v '^//' rtl/heddle.f | sed 's|^|rtl/|')
while read -r line; do wrong "$line"; done < <(
    awk -v heads=1 -f tools/gen/module_pages.awk "${sources[@]}" rtl/module_tests.txt |
        grep -vE -f <(sed '/^#/d' tests/lint/heads.allow) || true
    tracked 'rtl/*.sv' 'rtl/*.v' | sed 's|^rtl/||' | grep -vxFf rtl/heddle.f |
        sed 's|.*|rtl/&: rtl/heddle.f does not name it|'
    named=$(grep -v '^#' rtl/module_tests.txt | sed 's/ *| */|/g' | cut -d'|' -f3 | sort -u)
    while read -r f; do [ -f "$f" ] || echo "rtl/module_tests.txt: no file '$f'"; done <<<"$named"
    tracked 'tests/rtl/modules/test_*.cpp' 'tests/rtl/rules/rules_*.cpp' |
        grep -vxF "$named" | sed 's|$|: rtl/module_tests.txt does not name it|' || true
)
finish "Complete the head of the module, or the table."
