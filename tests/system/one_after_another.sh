#!/bin/sh
# one_after_another.sh DEVICE_CODE PTX KERNEL - a program whose kernel goes wrong (or that is killed
# in it), then one in order: the second one gets a GPU that works.
"$1" "$2" "$3" 3 32 kill
echo "first: $?"
"$1" "$2" add 5 128
status=$?
echo "second: $status"
exit $status
