#!/usr/bin/env bash
# heads.sh - checks that the head of each module of the timing core says what it is for, and its
# parts Latency, Throughput and Rules; that rtl/module_tests.txt names its tests, and files that
# exist; that each module which is not just made of others has a bench of its own (rtl.module, or
# rtl.pressure); and that the block diagram rtl/core.svg has the modules and files that there are.
# The pages of docs/rtl are made from heads and table.
. "$(dirname "$0")/common.sh"
mapfile -t sources < <(grep -v '^//' rtl/heddle.f | sed 's|^|rtl/|')
while read -r line; do wrong "$line"; done < <(
    awk -v heads=1 -f tools/gen/module_pages.awk "${sources[@]}" rtl/module_tests.txt |
        grep -vE -f <(sed '/^#/d' tests/lint/heads.allow) || true
    tracked 'rtl/*.sv' 'rtl/*.v' | sed 's|^rtl/||' | grep -vxFf rtl/heddle.f |
        sed 's|.*|rtl/&: rtl/heddle.f does not name it|' || true
    named=$(grep -v '^#' rtl/module_tests.txt | sed 's/ *| */|/g' | cut -d'|' -f3 | sort -u)
    while read -r f; do [ -f "$f" ] || echo "rtl/module_tests.txt: no file '$f'"; done <<<"$named"
    tracked 'tests/rtl/modules/test_*.cpp' 'tests/rtl/rules/rules_*.cpp' |
        grep -vxF "$named" | sed 's|$|: rtl/module_tests.txt does not name it|' || true
    for f in "${sources[@]}"; do
        m=$(basename "${f%.*}")
        case $m in
            heddle_pkg | heddle_kernel | heddle_top | heddle_groups | *_engine) continue ;;
        esac
        grep -qE "^$m +\| rtl\.(module|pressure)\." rtl/module_tests.txt ||
            echo "$f: it has no bench (tests/rtl/modules)"
    done
    for f in "${sources[@]}"; do
        case $f in */heddle_pkg.sv | */cell/*) continue ;; esac
        m=$(basename "${f%.*}")
        grep -qw "$m" rtl/core.svg || echo "rtl/core.svg does not show $m"
    done
    for f in $(grep -oE '[a-z_0-9]+\.svh' rtl/core.svg; sed -nE \
        's/.*class="[tb]"[^>]*>((sm|net|heddle|event|command)_[a-z_]+)<.*/\1.*/p' rtl/core.svg); do
        compgen -G "rtl/*/$f" >/dev/null || echo "rtl/core.svg shows $f, which does not exist"
    done
)
finish "Complete the head of the module, the table or the diagram."
