# common.sh - sourced by the checks of this folder, which run from the top of the source tree.
#
# A check prints its findings and how to mend them, and returns 1. A check whose tool is missing
# skips itself, or fails in CI (tests/support/need.sh).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

. tests/support/need.sh

# tracked PATTERN...: prints the tree's files that match, with or without git.
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

# Without any file every check would pass (in a copy of the tree that an outer git repository
# ignores).
[ -n "$(tracked CMakeLists.txt)" ] || {
    echo "no file of the tree is found: is $PWD ignored by a git above it?"
    exit 1
}

# wrong TEXT: prints and counts a finding. finish WHAT_TO_DO: ends the check, with 1 if there are
# findings.
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
