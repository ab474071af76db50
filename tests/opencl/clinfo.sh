#!/usr/bin/env bash
# clinfo.sh HEDDLE FOLDER - checks clinfo's page of the platform: values of the V100, no query that
# fails.
set -euo pipefail
. "$(dirname "$0")/../support/need.sh"
need clinfo clinfo
page=$("$1" run --timing none --out "$2" -- clinfo | tr -s ' ')
bad=0
while read -r line; do
    if ! grep -qF "$line" <<<"$page"; then
        echo "clinfo does not say: $line"
        bad=1
    fi
done <<'END'
Number of platforms 1
Platform Name Heddle
Platform Version OpenCL 1.2 Heddle
Device Name Tesla V100 (simulated)
Device Type GPU
Max compute units 80
Max clock frequency 1380MHz
Max work item sizes 1024x1024x64
Max work group size 1024
Preferred work group size multiple (kernel) 32
Global memory size 17179869184 (16GiB)
Local memory size 49152 (48KiB)
Image support Yes
Max number of samplers per kernel 32
Max size for 1D images from buffer 134217728 pixels
Max 2D image size 16384x32768 pixels
Max 3D image size 16384x16384x16384 pixels
Max number of read image args 256
clCreateContext(NULL, ...) [default] Success [HEDDLE]
END
if grep -E 'error -?[0-9]+' <<<"$page"; then
    echo "a query failed"
    bad=1
fi
exit $bad
