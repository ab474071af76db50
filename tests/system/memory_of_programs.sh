#!/bin/sh
# memory_of_programs.sh MEMORY - runs programs one after another, each of which takes most of the
# device's memory and ends without freeing it, normally or killed.
"$1" in-order || exit 1
"$1" kill
echo "killed"
"$1" in-order
