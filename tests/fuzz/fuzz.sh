#!/usr/bin/env bash
# fuzz.sh fatbin|ptx|lower|profile|config|state|wire BUILD_DIRECTORY CLANG SECONDS - builds the
# fuzzers in BUILD_DIRECTORY/fuzz and runs one of them for SECONDS (0: 20,000 inputs from a fixed
# seed, of wire 8,000, of config 4,000). It keeps inputs that reach new code in
# BUILD_DIRECTORY/fuzz/found/NAME, and names at the end an input that crashes or hangs.
set -euo pipefail
cd "$(dirname "$0")/../.."
name=$1 build=$2/fuzz cc=$3 seconds=$4
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O1 -g1" \
    -DCMAKE_C_COMPILER="$cc" -DHEDDLE_SANITIZE=fuzz -DHEDDLE_HOST_ONLY=ON \
    "${launcher[@]}" >/dev/null
cmake --build "$build" --target fuzzers -j"$(nproc)" >"$build/build.log" || {
    grep -E -A5 'error|FAILED' "$build/build.log" | head -40
    exit 1
}
found=$build/found/$name corpus=tests/fuzz/corpus/$name
mkdir -p "$found" "$build/crashes"
# The words of PTX, from the parser's tables; each fuzzer has its own file, since fuzzers may run
# together.
words=$build/$name.dict
sed -n 's/^OP(\([a-z0-9_]*\),.*/"\1."/p' host/tables/ptx_ops.def >"$words"
grep -oE '\bW\([A-Za-z0-9_]+\)' host/ptx/parse/ptx_words.def | sed 's/W(\(.*\))/".\1"/' >>"$words"
runs=20000 quarantine=256
options=(-seed=1 -timeout=20 -rss_limit_mb=4096 -print_final_stats=1
    -artifact_prefix="$build/crashes/$name-")
case $name in
    ptx | lower) options+=(-dict="$words" -max_len=4096) ;;
    profile) options+=(-dict=tests/fuzz/profile.dict -max_len=4096) ;;
    config)
        options+=(-dict=tests/fuzz/config.dict -max_len=2048)
        runs=4000 # most read a whole GPU
        ;;
    state) options+=(-max_len=256) ;;
    wire)
        options+=(-max_len=1024 -entropic=0) # entropic takes a fifth of the time
        runs=8000 quarantine=16              # an input frees little, and soon
        ;;
esac
if [ "$seconds" = 0 ]; then
    found=$(mktemp -d) # always start from the corpus alone
    trap 'rm -rf "$found"' EXIT
    options+=(-runs="$runs")
else
    options+=(-max_total_time="$seconds")
fi
export ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=$quarantine
"$build/bin/fuzz_$name" "${options[@]}" "$found" "$corpus" \
    >"$build/$name.log" 2>&1 || {
    tail -40 "$build/$name.log"
    exit 1
}
grep -E '^(stat::|Done|#.*DONE)' "$build/$name.log" | tail -8
