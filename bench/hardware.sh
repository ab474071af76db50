#!/usr/bin/env bash
# hardware.sh - compares kernels on a real GPU with its model: the times of all kernels of apps/,
# of the microbenchmarks, and of a list of public programs, and their mean errors.
#
#   bench/hardware.sh --gpu GPU [OPTIONS] DIRECTORY
#     --gpu GPU            the model
#     --measured FILE      no GPU is needed: its times are in FILE, which has the form of
#                          models/gpus/measured/h100-sxm/apps.csv
#     --programs LIST      programs of others as well (bench/program_list.sh); options are for the
#                          model
#     --apps FOLDER        programs of apps/ (default build/apps/nvcc, or build/apps without nvcc)
#     --only NAME,...      only these programs
#     --runs N             runs of each program on the GPU; the median counts (default 5)
#     --limit S            gives up a program that takes longer on the model (default 600)
#     --table              no runs: the table of those that are there
#
# Without --measured each program runs under nsys (the driver's own records of kernels), or under
# ncu with its caches and clocks left alone, whichever is found; then apps/microbench runs, and
# bench/microbench.sh compares it. clocks.csv has the clocks that nvidia-smi reports around each
# program. A program that fails is named, the others are compared, and the exit status is 1. The
# same command continues what was interrupted.
#
# Times of the launches of a kernel are added up. `all` is the model's time with the launch
# overhead, `execution` without. DIRECTORY: measured.csv, hardware.csv (a row for each kernel),
# microbench/.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
heddle=${HEDDLE:-$top/build/bin/heddle}
gpu= measured= list= apps= only= runs=5 limit=600 run=yes failed=0
. "$top/bench/program_list.sh"
[ "${1:-}" != --help ] || show_help
while [ $# -gt 0 ] && [ "${1#--}" != "$1" ]; do
    if [ "$1" = --table ]; then
        run=no
        shift
        continue
    fi
    case $1 in
    --gpu | --measured | --programs | --apps | --only | --runs | --limit) ;;
    *) fail "$1: no such option; --help lists them" ;;
    esac
    [ $# -gt 1 ] || fail "$1: a value is missing"
    case $1 in
    --gpu) gpu=$2 ;;
    --measured) measured=$2 ;;
    --programs) list=$2 ;;
    --apps) apps=$2 ;;
    --only) only=$2 ;;
    --runs) runs=$2 ;;
    --limit) limit=$2 ;;
    esac
    shift 2
done
[ $# -eq 1 ] || fail "DIRECTORY expected; --help explains it"
[ -n "$gpu" ] || fail "--gpu is missing: which model the GPU has"
for n in "$runs" "$limit"; do
    case $n in '' | *[!0-9]* | 0) fail "$n is no number from 1 on" ;; esac
done
need_tools
if [ -z "$apps" ]; then
    apps=$top/build/apps
    [ ! -x "$apps/nvcc/vector_add" ] || apps=$apps/nvcc
fi
"$heddle" config --gpu "$gpu" >/dev/null || exit 2
mkdir -p "$1"
out=$(cd "$1" && pwd)
profiler=
if [ -n "$measured" ]; then
    [ -r "$measured" ] || fail "$measured: cannot be read"
else
    measured=$out/measured.csv
    profiler=$(command -v nsys || command -v ncu || true)
    [ -n "$profiler" ] || [ $run = no ] ||
        fail "no nsys and no ncu to time kernels with; --measured takes times from a file"
fi

# ---- the programs: arrays as of program_list.sh, and `labels`, as measured.csv has them

names=() folders=() options=() commands=() labels=()
add() { # PROGRAM ARGUMENTS
    names+=("$(echo "$1 $2" | tr -s ' /' '__' | sed 's/_$//')")
    folders+=("$apps")
    options+=("")
    commands+=("./$1 $2")
    labels+=("$1,$2")
}
if [ -n "$profiler" ]; then # what apps.csv of the H100 SXM has
    reference=$top/models/gpus/measured/h100-sxm/apps.csv
else
    reference=$measured
fi
if [ -n "$list" ]; then
    read_programs "$list"
    labels=("${names[@]/%/,}")
fi
listed=" ${names[*]} "
while IFS=, read -r program arguments; do
    case $listed in *" $program "*) continue ;; esac
    add "$program" "$arguments"
done < <(grep -v '^#' "$reference" | cut -d, -f1,2 | awk '!seen[$0]++')
wanted() { # LABEL
    [ -z "$only" ] || case ",$only," in *",${1%%,*},"*) ;; *) return 1 ;; esac
}
give_up() { # MESSAGE
    echo "$1" >&2
    failed=1
}

# ---- the real GPU

clocks() { # LABEL
    echo "$1,$(nvidia-smi --query-gpu=name,clocks.sm,clocks.mem --format=csv,noheader,nounits \
        2>/dev/null | head -1 || true)" >>"$out/clocks.csv"
}
natively() { # INDEX: leaves the records of its runs in native/NAME.RUN.csv
    local i=$1 n record
    for n in $(seq "$runs"); do
        record=$out/native/${names[i]}.$n
        [ ! -s "$record.csv" ] || continue
        # shellcheck disable=SC2086 # words
        case $profiler in
        */nsys)
            (cd "${folders[i]}" && nsys profile -t cuda --force-overwrite true -o "$record" \
                ${commands[i]}) >"$record.log" 2>&1 </dev/null &&
                nsys stats -q -r cuda_gpu_trace --format csv "$record.nsys-rep" \
                    >"$record.part" 2>>"$record.log"
            ;;
        *)
            (cd "${folders[i]}" && ncu --csv --page raw --cache-control none --clock-control none \
                --metrics gpu__time_duration.sum ${commands[i]}) \
                >"$record.part" 2>"$record.log" </dev/null
            ;;
        esac || return 1
        mv "$record.part" "$record.csv"
        clocks "${labels[i]}"
    done
}
if [ -n "$profiler" ] && [ $run = yes ]; then
    mkdir -p "$out/native"
    echo "program,arguments,gpu,sm_mhz,memory_mhz" >"$out/clocks.csv"
    for i in "${!names[@]}"; do
        wanted "${labels[i]}" || continue
        echo "GPU: ${names[i]}" >&2
        natively "$i" ||
            give_up "${names[i]} failed on the GPU, left out: $out/native/${names[i]}.*.log"
    done
    printf '%s\n' "${labels[@]}" >"$out/labels"
    printf '%s\n' "${names[@]}" >"$out/names"
    python3 "$top/bench/hardware_table.py" records "$out" >"$measured.part"
    mv "$measured.part" "$measured"
    GPU=$gpu NATIVE=$apps "$top/bench/microbench.sh" "$out/microbench" ||
        give_up "the microbenchmarks failed on the GPU"
fi

# ---- the model

if [ $run = yes ]; then
    for i in "${!names[@]}"; do
        wanted "${labels[i]}" || continue
        report=$out/model/${names[i]}
        [ ! -f "$report/report.json" ] || continue
        grep -qF "${labels[i]}," "$measured" || continue
        echo "model: ${names[i]}, $(date +%T)" >&2
        rm -rf "$report.part" # of a run that was interrupted
        mkdir -p "$report.part"
        status=0
        # shellcheck disable=SC2086 # words
        (cd "${folders[i]}" && exec timeout "$limit" "$heddle" run -q --gpu "$gpu" \
            --out "$report.part" ${options[i]} -- ${commands[i]}) \
            >"$report.part/log.txt" 2>&1 </dev/null || status=$?
        case $status in
        0)
            rm -rf "$report"
            mv "$report.part" "$report"
            continue
            ;;
        124) reason="more than $limit s" ;;
        130) exit 130 ;;
        *) reason="exit status $status" ;;
        esac
        give_up "${names[i]} failed on the model, left out: $reason, $report.part/log.txt"
    done
    if [ -n "$profiler" ] && [ -s "$out/microbench/microbench.csv" ]; then
        GPU=$gpu MEASURED=$out/microbench/microbench.csv "$top/bench/microbench.sh" \
            "$out/microbench/model" || give_up "the microbenchmarks failed on the model"
    fi
fi
printf '%s\n' "${labels[@]}" >"$out/labels"
printf '%s\n' "${names[@]}" >"$out/names"
python3 "$top/bench/hardware_table.py" compare "$out" "$measured" "$gpu" || failed=1
exit $failed
