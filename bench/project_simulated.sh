#!/usr/bin/env bash
# project_simulated.sh - judges projection by simulation: runs programs on the model of a source GPU
# and on those of targets, projects the source's run to the targets, and prints how far the
# projections are from the simulated times. There is no pass or fail.
#
#   bench/project_simulated.sh [OPTIONS]
#     --from MODEL          source (default v100)
#     --to MODEL[,MODEL...] targets (default a100-80,h100-pcie,h200)
#     --programs FILE       programs, a line each: NAME COMMAND...; default: those of apps/
#     --capabilities DIR    capability files of the models, DIR/MODEL.ini, by heddle project
#                           --measure; a missing one is measured first. Default: the files of the
#                           real GPUs, which differ from the models
#     --reports DIR         where the runs' reports are kept; a report that is there already is
#                           not made again (default build/project_simulated)
#
# All models run the same code, so the term `isa` is off. Kernels do not wait for managed memory.
#
# A kernel counts once for each target: the times of its launches are added up. MAPE: mean of
# |centre / simulated - 1|, percent. Inside: percent of simulated times within the interval. Width:
# mean of (high - low) / centre, percent.
set -euo pipefail
cd "$(dirname "$0")/.."
from=v100 to=a100-80,h100-pcie,h200 programs= capabilities= reports=build/project_simulated
fail() { # MESSAGE
    echo "bench/project_simulated.sh: $1" >&2
    exit 2
}
if [ "${1:-}" = --help ]; then
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' bench/project_simulated.sh
    exit 0
fi
while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || fail "$1: a value is missing; the head of this file has the options"
    case $1 in
    --from) from=$2 ;;
    --to) to=$2 ;;
    --programs) programs=$2 ;;
    --capabilities) capabilities=$2 ;;
    --reports) reports=$2 ;;
    *) fail "$1: no such option; the head of this file has them" ;;
    esac
    shift 2
done
command -v jq >/dev/null || fail "jq is missing (apt-get install jq)"
mkdir -p "$reports"
pairs=$reports/pairs.jsonl
IFS=, read -ra targets <<<"$to"

default_programs() {
    cat <<'P'
vector_add build/apps/vector_add -n 4194304
vector_accumulate build/apps/vector_accumulate -c 160
reduce build/apps/reduce -n 4194304
stream build/apps/stream -n 4194304 -t 256
stream_small build/apps/stream -n 1048576 -t 64
hydro1d build/apps/hydro1d -n 1000000 -i 2
hydro3d build/apps/hydro3d -s 30 -i 1
sgemm_tiled build/apps/sgemm_tiled -n 256
lu_decomposition build/apps/lu_decomposition
histogram build/apps/histogram -n 262144
atomics build/apps/atomics
divergence build/apps/divergence
transport build/apps/transport -n 65536 -c 14 -b 16384 -s 2
docking build/apps/docking -r 8 -p 1000 -i 1 -l 1
matrix_products build/apps/matrix_products -n 128
P
}

# The GPU of a model as --from and --to want it: its name, or a file of --capabilities.
gpu() { # MODEL
    if [ -z "$capabilities" ]; then echo "$1"; else echo "$capabilities/$1.ini"; fi
}

measure_models() {
    [ -n "$capabilities" ] || return 0
    mkdir -p "$capabilities"
    for model in "$from" "${targets[@]}"; do
        [ -f "$capabilities/$model.ini" ] && continue
        echo "measuring $model" >&2
        build/bin/heddle project --measure --gpu "$model" --out "$capabilities/$model.ini" >&2
    done
}

run_programs() { # reads NAME COMMAND... ; prints the names of those that ran everywhere
    while read -r name command; do
        [ -n "$name" ] || continue
        ran=yes
        for model in "$from" "${targets[@]}"; do
            out=$reports/$name/$model
            [ -f "$out/report.json" ] && continue
            echo "$name on $model" >&2
            mkdir -p "$out"
            # shellcheck disable=SC2086 # the command's words
            if ! build/bin/heddle run -q --gpu "$model" --set managed.migrate=0 --out "$out" -- \
                $command >"$out/log" 2>&1 </dev/null; then
                echo "$name on $model failed, left out: $out/log" >&2
                rm -f "$out/report.json"
                ran=no
                break
            fi
        done
        [ $ran = no ] || echo "$name"
    done
}

# Projects a program by a variant of the model; appends a line for each kernel and target to $pairs.
project() { # PROGRAM VARIANT OPTIONS...
    local name=$1 variant=$2 list
    shift 2
    list=$(for model in "${targets[@]}"; do gpu "$model"; done | paste -sd,)
    build/bin/heddle project --json --from "$(gpu "$from")" --to "$list" "$@" \
        "$reports/$name/$from" >"$reports/projection.json" 2>"$reports/projection.log" ||
        { echo "$name, $variant: $(tail -1 "$reports/projection.log")" >&2; return 0; }
    for i in "${!targets[@]}"; do
        jq -c --arg program "$name" --arg variant "$variant" --arg target "${targets[i]}" \
            --argjson i "$i" --slurpfile run "$reports/$name/${targets[i]}/report.json" '
            def us: (.end_ps - .start_ps) / 1e6;
            [$run[0].kernels[] | select(.timed)] as $there | .kernels | to_entries
            | map(.value + {there: $there[.key]})
            | if any(.name != .there.name) then error("the program does other launches there")
              else . end
            | group_by(.name)[]
            | {$program, $variant, $target, kernel: .[0].name,
               low: map(.targets | to_entries[$i].value.low_us) | add,
               centre: map(.targets | to_entries[$i].value.centre_us) | add,
               high: map(.targets | to_entries[$i].value.high_us) | add,
               confidence: map(.targets | to_entries[$i].value.confidence) | min,
               simulated: map(.there | us) | add}' "$reports/projection.json" >>"$pairs"
    done
}

# Prints a table row per value of a member of the pairs that a filter selects.
table() { # FILTER MEMBER
    jq -rs "
        def mape: map(.centre / .simulated - 1 | fabs) | add / length * 100;
        def bias: map(.centre / .simulated - 1) | add / length * 100;
        def inside: map(if .low <= .simulated and .simulated <= .high then 1 else 0 end)
                    | add / length * 100;
        def width: map((.high - .low) / .centre) | add / length * 100;
        def r: . * 10 | round / 10;
        map(select($1)) | group_by($2)[]
        | [.[0] | $2] + [length, (mape | r), (bias | r), (inside | round), (width | round)]
        | @tsv" "$pairs" |
        awk -F'\t' '{ printf "%-28s %8s %8s %11s %8s %8s\n", $1, $2, $3, $4, $5, $6 }'
}
head_of() { # FIRST COLUMN
    printf '\n%-28s %8s %8s %11s %8s %8s\n' "$1" pairs "MAPE %" "mean err. %" "inside %" "width %"
}

measure_models
: >"$pairs"
mapfile -t ran < <(
    if [ -n "$programs" ]; then cat "$programs"; else default_programs; fi | run_programs
)
[ ${#ran[@]} -gt 0 ] || fail "no program ran"
mapfile -t terms < <(sed -n 's/^TERM([A-Z_]*, "\([a-z]*\)".*/\1/p' host/tables/project_terms.def)
for name in "${ran[@]}"; do
    project "$name" heddle --without isa
    project "$name" paper --model paper
    for term in "${terms[@]}"; do
        [ "$term" = isa ] || project "$name" "without $term" --without "isa,$term"
    done
done
head_of "variant"
table true .variant
head_of "target (heddle)"
table '.variant == "heddle"' .target
head_of "program (heddle)"
table '.variant == "heddle"' .program
head_of "program (paper)"
table '.variant == "paper"' .program
head_of "confidence (heddle)"
table '.variant == "heddle"' '(.confidence * 5 | floor / 5 | tostring + " and more")'
echo
echo "each kernel and target: $pairs"
