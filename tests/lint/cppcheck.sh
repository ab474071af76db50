#!/usr/bin/env bash
# cppcheck.sh BUILD_DIRECTORY - static analysis of host, models and tools. cppcheck.suppressions
# lists the exceptions, each with its reason.
. "$(dirname "$0")/common.sh"
need cppcheck cppcheck
build=${1:-build}
[ -f "$build/generated/core_words.h" ] || {
    echo "$build/generated/core_words.h is not built: build first"
    exit 1
}
cache=$build/lint/cppcheck
mkdir -p "$cache"
sed -e '/^#/d' -e '/^$/d' -e 's/ *#.*//' tests/lint/cppcheck.suppressions \
    >"$build/lint/suppressions"
cppcheck --quiet --enable=warning,performance,portability --std=c11 --language=c -j"$(nproc)" \
    -I host -I . -I "$build/generated" -D__x86_64__ --inline-suppr \
    --suppressions-list="$build/lint/suppressions" --cppcheck-build-dir="$cache" \
    --error-exitcode=1 --template='{file}:{line}: {severity}: {message} [{id}]' \
    host models tools && exit 0
echo
echo "Mend it; only where cppcheck is wrong add a line with the reason to" \
    "tests/lint/cppcheck.suppressions."
exit 1
