#!/usr/bin/env bash
# many_launches.sh HEDDLE PROGRAM [N] - runs that launch more kernels than report.json lists. The
# sums of report.json are those of all launches in kernels.csv.zst, memory does not grow, and
# projection uses every launch, or says why it cannot. N: launches of the functional run.
set -euo pipefail
heddle=$1 program=$2 many=${3:-20000}
. "$(dirname "$0")/../../support/need.sh"
need jq jq
need zstdcat zstd
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
wrong() { echo "$*"; failed=1; }
cd "$out"

# all_of RUN COLUMN: the sum of a column over all lines of kernels.csv.zst; no name has a comma
all_of() {
    zstdcat "$1/kernels.csv.zst" | awk -F, -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
        { sum += $c } END { printf "%.0f\n", sum }'
}
# check RUN N: counts and sums of a run with N launches
check() {
    local file
    jq -e --argjson n "$2" '.run.launches == $n and ([.kernel_groups[].launches] | add) == $n and
        (.kernels | length == 2000 and .[0].launch == 0 and .[999].launch == 999 and
            .[1000].launch == $n - 1000 and .[1999].launch == $n - 1) and
        .kernels_file.rows == $n and (.run.warp_instructions ==
            ([.kernel_groups[].warp_instructions] | add)) and
        ([.kernel_groups[] | [.name, .grid, .block]] | length == 3 and unique == sort)' \
        "$1/report.json" >/dev/null ||
        wrong "$1: the lists of report.json: $(jq -c '[.run.launches, .kernels_file,
            [.kernel_groups[].launches]]' "$1/report.json")"
    for column in cycles launch_cycles warp_instructions thread_instructions dram_read_bytes; do
        sum=$(jq "[.kernel_groups[].$column] | add" "$1/report.json")
        [ "$(all_of "$1" $column)" = "$sum" ] ||
            wrong "$1: the sum of $column is not that of all launches"
    done
    [ "$(($(all_of "$1" end_ps) - $(all_of "$1" start_ps)))" = \
        "$(jq '[.kernel_groups[].time_ps] | add' "$1/report.json")" ] || wrong "$1: time_ps"
    [ ! -e "$1/kernels.csv" ] || wrong "$1: kernels.csv is there, and has a part"
    for file in "$1"/*.part; do [ ! -e "$file" ] || wrong "$file was left"; done
}

# ---- timing off: a program that never waits
mkdir functional
touch functional/kernels.csv # of an earlier run
ln -s elsewhere functional/report.json
"$heddle" run -q --timing none --out functional -- "$program" "$many" 7 >said 2>&1 ||
    wrong "functional: $(cat said)"
grep -q "^$many launches counted $((many / 2 + many / 10)): no error" said || wrong "$(cat said)"
check functional "$many"
[ ! -e elsewhere ] && [ ! -L functional/report.json ] || wrong "a symbolic link was followed"
jq -e --argjson n "$many" '.run.copies == (($n + 6) / 7 | floor) + 2 and
    .copies_file.rows == .run.copies and .run.peak_rss_bytes < 200e6' functional/report.json \
    >/dev/null ||
    wrong "functional: $(jq -c '[.run.copies, .run.peak_rss_bytes]' functional/report.json)"
status=0
"$heddle" project --to a100-40 functional >said 2>&1 || status=$?
[ $status -ne 0 ] &&
    grep -q "no launch was timed: run the program again without --timing none" said ||
    wrong "projection of an untimed run: $(cat said)"

# ---- timing on; a FIFO in the place of a file
mkdir timed
mkfifo timed/report.json timed/kernels.csv.zst
timeout 100 "$heddle" run -q --set sm.count=4 --out timed -- "$program" 2300 100 >said 2>&1 ||
    wrong "timed: $(cat said)"
check timed 2300
"$heddle" project --to a100-40 --csv all.csv timed >said 2>&1 || wrong "projection: $(cat said)"
[ "$(wc -l <all.csv)" = 2301 ] || wrong "$(wc -l <all.csv) lines of 2300 projected launches"
grep -q "^application" said || wrong "projection without its timeline: $(cat said)"

# ---- damaged or foreign files are not projected
refused() { # TEXT
    status=0
    "$heddle" project --to a100-40 timed >said 2>&1 || status=$?
    [ $status -ne 0 ] && grep -qF "$1" said || wrong "not refused: $(cat said)"
}
cp timed/kernels.csv.zst whole
truncate -s -9 timed/kernels.csv.zst
refused "the file is cut short; run the program again"
printf 'x' | dd of=timed/kernels.csv.zst bs=1 seek=900 conv=notrunc 2>/dev/null
refused "run the program again"
cp functional/kernels.csv.zst timed
refused "timed/"
rm timed/kernels.csv.zst
refused "cannot read timed/kernels.csv.zst: No such file or directory"
cp whole timed/kernels.csv.zst
jq '.kernels_file.crc32c = "00000000"' timed/report.json >other && cp other timed/report.json
refused "timed/report.json: kernels.csv.zst is not of this run: run the program again"
exit $failed
