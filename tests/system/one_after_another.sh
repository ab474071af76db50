#!/bin/sh
# one_after_another.sh DEVICE_CODE PTX KERNEL - runs a program whose kernel faults (or that is
# killed during the kernel), then a correct one, which must find a working GPU.
"$1" "$2" "$3" 3 32 kill
echo "first: $?"
"$1" "$2" add 5 128
status=$?
echo "second: $status"
exit $status
