#!/usr/bin/env bash
# examples.sh SOURCE BUILD PAGE OUT - takes the examples in C and Python out of a page of docs, runs
# them, and looks whether they print what they should.
set -euo pipefail
source=$1 build=$2 page=$3 out=$4
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../support/need.sh"
rm -rf "$out"
mkdir -p "$out"
cd "$out"
# Writes the examples to 1.c, 2.c, 1.py ... in the order of the page.
awk '/^```(c|python)$/ { kind = $0 == "```c" ? "c" : "py"; file = ++n[kind] "." kind; next }
    /^```$/ { file = "" }
    file { print > file }' "$source/docs/$page.md"
python=/usr/bin/python3
export PYTHONPATH=$source/python HEDDLE_LIBRARY=$build/lib/libheddle.so.0
export PROGRAM=$build/apps/vector_add PYTHONDONTWRITEBYTECODE=1

# prints FILE PATTERN: the example ends well and prints lines of the pattern
prints() {
    case $1 in
        *.c)
            cc -Wall -Wextra -Werror -I"$source/include" "$1" -L"$build/lib" -lheddle \
                "-Wl,-rpath,$build/lib" -o example
            ./example >said 2>&1 || { cat said && exit 1; } ;;
        *.py) $python -W error "$1" >said 2>&1 || { cat said && exit 1; } ;;
    esac
    tr '\n' '|' <said | grep -qE "$2" || { echo "$1 printed: $(cat said)" && exit 1; }
}
if [ "$page" = library ]; then
    prints 1.c '^0 to 63 in [0-9]+ cycles.$'
    [ ! -e 2.c ]
else
    [ -x $python ] || missing $python python3
    prints 1.py '^(scale [0-9]+ 0[.][0-9]+.){4}512 bytes copied to the GPU.$'
    prints 2.py 'PASS 5000 elements.*vector_add [0-9]+.\[.*cuda.*\] [0-9]+.cannot run ./no_such'
    [ ! -e 3.py ]
fi
