# need.sh - sourced by tests that lean on something which a user's machine may lack.
#
# need PROGRAM PACKAGE: without it the test is skipped (77, for ctest); in CI (CI=true), where
# packages.txt is installed, a missing program is a failure: nothing there is green because it did
# not run. missing THING PACKAGE: the same for what is known to be missing.
missing() {
    if [ "${CI:-}" = true ]; then
        echo "$1 is not installed (package $2), and CI skips nothing"
        exit 1
    fi
    echo "skipped: $1 is not installed (package $2)"
    exit 77
}
need() {
    command -v "$1" >/dev/null || missing "$@"
}
