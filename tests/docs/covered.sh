#!/usr/bin/env bash
# covered.sh [SOURCE] - every name of a table that a user meets in a report, a file or a program has
# its line on a page. It reads tables and pages only, so it also finds a row that the generator of a
# page leaves out.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "${1:-$top}"
shopt -s lastpipe # so that `covers` at the end of a pipe can count
findings=0

# covers PAGE LEAST [rows]: the page has each name of standard input between backticks, or as a cell
# of a table; with rows, text outside of tables does not count. There are LEAST names at least, so
# that a table whose form has changed does not pass for an empty one.
covers() {
    awk -v page="docs/$1" -v least="$2" -v rows="${3:-}" '
        BEGIN {
            while ((getline line < page) > 0)
                if (!rows || line ~ /^[|]/) text = text line "\n"
        }
        { n++ }
        !index(text, "`" $0 "`") && !index(text, "| " $0 " |") {
            print "not on " page ": " $0
            bad = 1
        }
        END { if (n < least) { print page ": its table has only " n + 0 " names"; bad = 1 }
              exit bad }' || findings=1
}
# first TABLE MACRO...: the first argument of the rows, without quotes
first() {
    local table=host/tables/$1.def
    shift
    local IFS='|'
    sed -nE "s/^($*)\(\"?([^\",)]+)\"?,.*/\2/p" "$table"
}
# quoted TABLE MACRO...: the first text of the rows
quoted() {
    local table=host/tables/$1.def
    shift
    local IFS='|'
    sed -nE "s/^($*)\([^\"]*\"([^\"]+)\".*/\2/p" "$table"
}

quoted statistics STATISTIC | covers statistics.md 25
sed -nE 's/^NODE_STATISTIC\(([a-z_]+), *([a-z_0-9]+),.*/`\1` | `\2/p' \
    host/tables/node_statistics.def | sed 's/^`//' | covers statistics.md 30
first code_counts CODE_COUNT | covers statistics.md 20
quoted gpu_params PARAM | covers gpu-parameters.md 150
quoted network_parameters PARAM | covers network-parameters.md 25
quoted node_parameters PARAM | covers node-parameters.md 45
first cuda_calls CUDA_CALL CUDA_PER_THREAD CUDA_REFUSED | grep -v '^__heddle' |
    covers cuda-calls.md 400
first cuda_driver CUDA_CALL CUDA_REFUSED CUDA_NO_CONTEXT | covers cuda-calls.md 300
first mpi_calls MPI_CALL MPI_SOFTLY MPI_REFUSED | covers mpi-calls.md 400
first opencl_calls OPENCL_SERVED OPENCL_REFUSED | covers opencl-calls.md 120
first diagnosis RULE | tr A-Z a-z | covers diagnosis.md 14
first diagnosis FACT | covers diagnosis.md 25
first environment ENVIRONMENT | covers commands.md 9
sed -nE 's/^COUNTER\([0-9]+, *([a-z_0-9]+),.*/\1/p' host/tables/core_regs.def |
    covers core-registers.md 25
first cpi_colours COLOUR | covers report.md 16 rows
quoted power POWER_UNIT | covers statistics.md 12
first timeline_counters TIMELINE_COUNTER TIMELINE_NODE_COUNTER | covers timeline.md 12
# the columns of the terminal's tables: report.md
sed -n '/heads\[COLUMNS\] = {/,/};/p' host/report/report_counters.c | grep -oE '"[^"]+"' |
    tr -d '"' | covers report.md 7 rows
sed -n '/heads\[NUM_COLUMNS\] = {/,/};/p' host/report/report_text.c | grep -oE '"[^"]+"' |
    tr -d '"' | covers report.md 15 rows
[ "$findings" = 0 ] || { echo "Renew the page, or write the line."; exit 1; }
