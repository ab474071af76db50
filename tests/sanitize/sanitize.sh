#!/usr/bin/env bash
# sanitize.sh address|thread BUILD_DIRECTORY - builds the host a second time with sanitizers, in
# BUILD_DIRECTORY/sanitize, and runs its tests there: all unit tests and those of the library with
# timing (address), or those with several threads (thread). The presets sanitize and
# sanitize-thread do the same by hand.
set -euo pipefail
cd "$(dirname "$0")/../.."
kind=$1 build=$2/sanitize/$1
launcher=()
command -v ccache >/dev/null &&
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
sanitize=ON targets=(all) tests='^unit|^library[.]'
if [ "$kind" = thread ]; then
    sanitize=thread
    targets=(test_worker_pool test_fabric test_group test_streams exec_run test_monitor)
    targets+=(library_two_at_once)
    tests='unit.(test_(worker_pool|fabric|group|streams|monitor)|exec_run)$|^library.two_at_once'
fi
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O1 -g1" \
    -DHEDDLE_SANITIZE=$sanitize -DHEDDLE_HOST_ONLY=ON "${launcher[@]}" >/dev/null
cmake --build "$build" --target "${targets[@]}" -j"$(nproc)" >"$build/build.log" || {
    grep -E -A5 'error|FAILED' "$build/build.log" | head -40
    exit 1
}
# the library with timing: the emulation is the main build's, which no sanitizer watches
for emulation in "$2"/lib/libheddle_swemu*.so; do
    if [ -e "$emulation" ]; then ln -sfn "$(realpath "$emulation")" "$build/lib/"; fi
done
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
ctest --test-dir "$build" --output-on-failure --no-tests=error -j"$(nproc)" -R "$tests"
