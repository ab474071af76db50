#!/bin/sh
# memory_of_programs.sh MEMORY - programs that take most of the device's memory and end without
# freeing it, in order or killed, one after the other.
"$1" in-order || exit 1
"$1" kill
echo "killed"
"$1" in-order
