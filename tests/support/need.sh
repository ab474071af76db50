# need.sh - sourced by tests that need a program which a user's machine may lack.
#
# need PROGRAM PACKAGE: skips the test if PROGRAM is missing (exit status 77, for ctest). In CI
# (CI=true), where packages.txt is installed, the test fails instead, so that no test passes there
# because it did not run. missing THING PACKAGE: does the same for a thing that is known to be
# missing.
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
