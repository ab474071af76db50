#!/usr/bin/env bash
# exports.sh SOURCE LIBRARY - libheddle.so exports the functions that include/heddle.h declares, and
# nothing else. A program of C++ can include the header.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../support/need.sh"
need nm binutils
declared=$(tr '\n' ' ' <"$1/include/heddle.h" |
    sed 's|/\*[^*]*\**\([^/*][^*]*\*\**\)*/||g' | # comments
    grep -oE '\bheddle_[a-z_]+\(' | tr -d '(' | sort -u)
exported=$(nm -D --defined-only "$2" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u)
[ "$(wc -l <<<"$declared")" -ge 28 ] || { echo "read only: $declared" && exit 1; }
diff <(echo "$declared") <(echo "$exported") || { echo "< declared, > exported" && exit 1; }
need g++ g++
echo '#include <heddle.h>
int main() { heddle_gpu_options options = {}; return sizeof options == 0; }' |
    g++ -Wall -Wextra -Wpedantic -Werror -I"$1/include" -x c++ -fsyntax-only -
