# common.sh - sourced by the checks of this folder, which run from the top of the source tree.
#
# A check prints what is wrong and what to do, and returns 1; where a tool is missing it is skipped,
# or fails in CI (tests/support/need.sh).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

. tests/support/need.sh

# tracked PATTERN...: files of the tree, with or without git.
tracked() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard -- "$@" 2>/dev/null | while read -r f; do
            [ -f "$f" ] && echo "$f"
        done
    else
        local pattern args=()
        for pattern in "$@"; do args+=(-o -path "./${pattern#./}"); done
        find . -path './build*' -prune -o -type f \( "${args[@]:1}" \) -print | sed 's|^\./||'
    fi
}

# A check of no file at all would always pass (a copy of the tree that another one's git ignores).
[ -n "$(tracked CMakeLists.txt)" ] || {
    echo "no file of the tree is found: is $PWD ignored by a git above it?"
    exit 1
}

# wrong TEXT: notes a finding. finish WHAT_TO_DO: ends the check.
findings=0
wrong() {
    echo "$*"
    findings=$((findings + 1))
}
finish() {
    [ "$findings" -eq 0 ] && exit 0
    echo
    echo "$findings finding(s). $*"
    exit 1
}
