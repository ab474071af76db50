#!/usr/bin/env bash
# python.sh BUILD with|without OUT - the tests of the Python package from the source tree, with
# numpy, or where importing it fails.
set -euo pipefail
build=$1 numpy=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../support/need.sh"
python=/usr/bin/python3 # that of Debian, for which its packages are
[ -x $python ] || missing $python python3
rm -rf "$out"
mkdir -p "$out"
path=$here/../../python:$here
if [ "$numpy" = without ]; then
    mkdir "$out/numpy"
    echo 'raise ImportError("there is no numpy here")' >"$out/numpy/__init__.py"
    path=$out:$path
else
    $python -c 'import numpy' 2>/dev/null || missing numpy python3-numpy
fi
export HEDDLE_LIBRARY=$build/lib/libheddle.so.0 HEDDLE_TEST_PROGRAM=$build/apps/vector_add
export PYTHONPATH=$path PYTHONDONTWRITEBYTECODE=1
cd "$out"
$python -W error -m unittest discover -s "$here" -t "$here" 2>said || { cat said && exit 1; }
cat said
ran=$(sed -n 's/^Ran \([0-9]*\) tests.*/\1/p' said)
[ "$ran" -ge 22 ] || { echo "only $ran tests ran" && exit 1; }
if [ "$numpy" = without ]; then grep -q 'skipped=1' said; else grep -qx OK said; fi
