#!/usr/bin/env bash
# sensitivity.sh - prints how much the cycles of kernels depend on the parameters of a GPU:
# elasticity, percent of cycles for each percent of a parameter.
#
#   bench/sensitivity.sh [OPTIONS] LIST DIRECTORY
#     --gpu GPU            base (default v100)
#     --parameters FILE    parameters and their steps (default models/generalisation/parameters.csv)
#     --sides both|up      both steps of a parameter, or its step up alone (down where it has no
#                          step up), which takes half the time (default both)
#     --set KEY=VALUE      changes the base; may be given several times
#     --jobs N             runs at a time (default: the processors there are)
#     --table              no runs: the tables of those that are there
#
# LIST: programs (bench/program_list.sh). Each runs with the base and with every step of every
# parameter: a sweep (heddle sweep --around) in DIRECTORY/NAME, log in DIRECTORY/NAME.log. The same
# command continues what was interrupted. A program or run that fails is named, and the others are
# complete; the exit status is then 1.
#
# Writes into DIRECTORY: kernels.csv (what each kernel does), sensitivity.csv, parameters.csv (each
# parameter over all kernels), sensitivity.md and the heat map sensitivity.svg.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
heddle=${HEDDLE:-$top/build/bin/heddle}
gpu=v100 parameters=$top/models/generalisation/parameters.csv sides=both jobs= run=yes fixed=()
. "$top/bench/program_list.sh"
[ "${1:-}" != --help ] || show_help
while [ $# -gt 0 ] && [ "${1#--}" != "$1" ]; do
    case $1 in
    --table)
        run=no
        shift
        continue
        ;;
    --gpu | --parameters | --sides | --set | --jobs) ;;
    *) fail "$1: no such option; --help lists them" ;;
    esac
    [ $# -gt 1 ] || fail "$1: a value is missing"
    case $1 in
    --gpu) gpu=$2 ;;
    --parameters) parameters=$2 ;;
    --sides) sides=$2 ;;
    --set) fixed+=(--set "$2") ;;
    --jobs) jobs=$2 ;;
    esac
    shift 2
done
[ $# -eq 2 ] || fail "LIST and DIRECTORY expected; --help explains them"
case $sides in both | up) ;; *) fail "--sides $sides: both or up expected" ;; esac
need_tools
[ -r "$parameters" ] || fail "$parameters: cannot be read"
read_programs "$1"
mkdir -p "$2"
out=$(cd "$2" && pwd)

"$heddle" config --gpu "$gpu" "${fixed[@]}" >"$out/gpu.txt" || exit 2

# Prints a line for each parameter: keys, base values, and the values of each step, with colons
# between those that move together.
steps() {
    awk -v file="$parameters" -v sides="$sides" -F'[=;|]' '
        function trim(s) { gsub(/^ +| +$/, "", s); return s }
        function bad(text) { print "!" file ":" FNR ": " text; exit }
        function step(said, keys, n,    i, list, v) {
            for (i = 1; i <= n; i++) {
                v = value[keys[i]]
                if (said ~ /^=/) v = substr(said, 2)
                else if (v ~ /^[0-9]+$/) v = sprintf("%.0f", v * said)
                else v = v * said
                list = list (i > 1 ? ":" : "") v
            }
            return list
        }
        FNR == 1 { which++ }
        which == 1 { if (NF > 1 && $1 !~ /^#/) value[trim($1)] = trim($2); next }
        /^#/ || /^$/ { next }
        {
            if (split($0, cell, ",") < 4) bad("keys,up,down,why expected")
            n = split(cell[1], keys, "+")
            base = ""
            for (i = 1; i <= n; i++) {
                if (!(keys[i] in value)) bad("no parameter " keys[i])
                base = base (i > 1 ? ":" : "") value[keys[i]]
            }
            for (i = 2; i <= 3; i++)
                if (cell[i] != "" && cell[i] !~ /^=?[0-9.]+$/) bad("no step: " cell[i])
            if (cell[2] == "" && cell[3] == "") bad("no step of " cell[1])
            if (sides == "up" && cell[2] != "") cell[3] = ""
            line = cell[1] "\t" base
            for (i = 2; i <= 3; i++) if (cell[i] != "") line = line "\t" step(cell[i], keys, n)
            print line
        }' "$out/gpu.txt" "$parameters"
}

# Fills the array `sets` with the options of the sweep. Steps that the GPU cannot have, and those
# that do not change a value, are left out and named.
sets=()
make_sets() {
    local keys base values value good i key
    while IFS=$'\t' read -r keys base values; do
        [ "${keys#!}" = "$keys" ] || fail "${keys#!}"
        good=
        IFS=+ read -ra key <<<"$keys"
        for value in $values; do
            if [ "$value" = "$base" ]; then
                echo "left out: $keys = $value is the base" >&2
                continue
            fi
            IFS=: read -ra part <<<"$value"
            one=()
            for i in "${!key[@]}"; do one+=(--set "${key[i]}=${part[i]}"); done
            if said=$("$heddle" config --gpu "$gpu" "${fixed[@]}" "${one[@]}" 2>&1 >/dev/null); then
                good+=",$value"
            else
                echo "left out: ${said#heddle: error: }" >&2
            fi
        done
        [ -z "$good" ] || sets+=(--set "${keys//+/:}=$base$good")
    done < <(steps)
    [ ${#sets[@]} -gt 0 ] || fail "$parameters: no step that $gpu can have"
}

failed=0
if [ $run = yes ]; then
    make_sets
    for i in "${!names[@]}"; do
        name=${names[i]}
        echo "$((i + 1)) of ${#names[@]}: $name, $(date +%T)" >&2
        status=0
        # shellcheck disable=SC2086 # words
        (cd "${folders[i]}" && exec "$heddle" sweep --around ${jobs:+-j "$jobs"} --gpu "$gpu" \
            --out "$out/$name" "${fixed[@]}" "${sets[@]}" ${options[i]} -- ${commands[i]}) \
            >"$out/$name.log" 2>&1 </dev/null || status=$?
        [ $status -lt 128 ] || exit $status
        if [ $status -ne 0 ]; then
            failed=1
            echo "$name: exit status $status, $(grep -c ' failed, exit status' "$out/$name.log") \
lines of failures: $out/$name.log" >&2
            grep -m3 'error:' "$out/$name.log" >&2 || true
        fi
    done
fi
python3 "$top/bench/sensitivity_table.py" "$out" "$parameters" "${names[@]}" || failed=1
exit $failed
