#!/usr/bin/env bash
# module_pages.sh - the pages of docs/rtl, one for each module of the timing core, made from the
# heads of the modules.
#
#   module_pages.sh write    writes them
#   module_pages.sh check    fails if they differ from the sources
. "$(dirname "$0")/../../tests/lint/common.sh"

# pages DIR: writes the pages to DIR
pages() {
    mapfile -t sources < <(grep -v '^//' rtl/heddle.f | sed 's|^|rtl/|'; tracked 'rtl/*.svh')
    awk -v out="$1" -f tools/gen/module_pages.awk "${sources[@]}" rtl/module_tests.txt
}

case ${1:-} in
    write)
        mkdir -p docs/rtl
        rm -f docs/rtl/*.md
        pages docs/rtl
        ;;
    check)
        new=$(mktemp -d)
        trap 'rm -rf "$new"' EXIT
        pages "$new"
        diff -ru docs/rtl "$new" | head -40 || true
        diff -rq docs/rtl "$new" >/dev/null || {
            echo
            echo "Run: tools/gen/module_pages.sh write"
            exit 1
        }
        ;;
    *)
        sed -n '2,/^\. /s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
esac
