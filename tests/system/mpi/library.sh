#!/usr/bin/env bash
# library.sh LIBRARY IMPLEMENTED REFUSED [THEIRS] - checks what Heddle's libmpi.so.40 exports: each
# call of the lists, with P in front as well; the predefined handles, with the sizes of Open MPI's
# (THEIRS), of which programs may have copies; and what it depends on.
set -u
library=$1 implemented=$2 refused=$3 theirs=${4:-}
failures=0
wrong() { echo "library.sh: $*"; failures=$((failures + 1)); }
# missing WHAT: names on standard input that the library does not export
missing() {
    local names
    names=$(sort -u | comm -23 - ours.txt | tr '\n' ' ')
    [ -z "$names" ] || wrong "$1: not exported: $names"
}
nm -D --defined-only "$library" | awk '{print $NF}' | sort -u >ours.txt
cat "$implemented" "$refused" | missing "the table"
cat "$implemented" "$refused" | sed '/^MPIX_Query/d; s/^/P/' | missing "the table, with P"
readelf -d "$library" | grep -q 'soname: \[libmpi.so.40\]' || wrong "the soname is wrong"
readelf -d "$library" | grep NEEDED | grep -v '\[lib\(c.so.6\|heddle_shim.so\)\]' &&
    wrong "it depends on more than libc"
# but for entry points of Fortran
objects() {
    nm -D -S --defined-only "$1" | awk '$3 ~ /[BD]/ && $4 ~ /^ompi_(mpi|request|message)_/ &&
        $4 !~ /_addr$/ {print $4, $2}' | sort
}
if [ -e "$theirs" ]; then
    nm -D --defined-only "$theirs" | awk '$NF ~ /^P?MPIX?_[A-Z][a-z]/ {print $NF}' |
        missing "Open MPI's calls"
    join <(objects "$library") <(objects "$theirs") | awk '$2 != $3' >sizes.txt
    [ -s sizes.txt ] && wrong "sizes differ: $(cat sizes.txt)"
    [ "$(join <(objects "$library") <(objects "$theirs") | wc -l)" -gt 90 ] ||
        wrong "too few objects"
fi
[ $failures = 0 ] && echo "library.sh: ok"
exit $failures
