#!/usr/bin/env bash
# reachable.sh [SOURCE] - every page below docs/ can be reached from docs/README.md by links.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "${1:-$top}"

declare -A seen=()
next=(docs/README.md)
while [ ${#next[@]} -gt 0 ]; do
    page=${next[0]}
    next=("${next[@]:1}")
    [ -z "${seen[$page]:-}" ] && [ -e "$page" ] || continue
    seen[$page]=1
    while IFS= read -r link; do
        next+=("$(realpath -ms --relative-to=. "$(dirname "$page")/$link")")
    done < <(grep -oE '\]\([^)#:]+\.md(#[^)]*)?\)' "$page" |
        sed -E 's/^\]\(//; s/(#.*)?\)$//' | sort -u)
done

pages=0 lost=0
while IFS= read -r page; do
    pages=$((pages + 1))
    [ -n "${seen[$page]:-}" ] || { echo "no link leads to $page"; lost=$((lost + 1)); }
done < <(find docs -name '*.md' | sort)
[ "$pages" -ge 100 ] || { echo "only $pages pages: is this the tree?"; exit 1; }
[ "$lost" = 0 ] || { echo "Name them in docs/README.md, or in a page that it leads to."; exit 1; }
