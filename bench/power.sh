#!/usr/bin/env bash
# power.sh [DIRECTORY] [heddle run OPTIONS ...] - compares the power of the simulated GPU with
# measurements of hardware.
#
#   [GPU=v100] [ROWS="0 8 64"] bench/power.sh
#
# GPU: one with measurements, models/gpus/measured/*/power.csv: v100, a100-40, h200. Each row is
# simulated by micro_intensity (ROWS: those of so many multiply-adds, else all up to 64). Power is
# that of what its long launch does more than the short one, as measurements leave start and end
# out. Prints a table with deviations and their mean, and writes it to DIRECTORY/power.csv. There is
# no pass or fail. Behind it: by how much the power of each row changes if the coefficients of a
# unit change by half.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-heddle-power}
shift || true
gpu=${GPU:-v100} rows=" ${ROWS:-0 1 4 8 16 24 40 64} "
measured=models/gpus/measured/$gpu/power.csv
[ -e "$measured" ] || { echo "no power of $gpu: $measured is not there" >&2; exit 2; }
command -v jq >/dev/null || { echo "needs jq (apt-get install jq)" >&2; exit 2; }
mkdir -p "$out"
idle=
echo "program,bits,multiply_adds,measured_gb_s,simulated_gb_s,measured_w,simulated_w,deviation" \
    >"$out/power.csv"
: >"$out/units"
while IFS=, read -r program bits n _ rate _ watts _; do
    case $program in
    idle) idle="$idle $watts" ;;
    intensity)
        [[ $rows = *" $n "* ]] || continue
        echo "micro_intensity -n $n -b $bits ..." >&2
        build/bin/heddle run -q --gpu "$gpu" --out "$out/$n" "$@" -- build/apps/micro_intensity \
            -n "$n" -b "$bits" -e $((bits == 64 ? 4 : 8)) >"$out/log" 2>&1 ||
            { echo "micro_intensity failed:" >&2; tail -5 "$out/log" >&2; exit 1; }
        # nJ by ps: kW
        simulated=$(jq '.kernels | (.[2].power.energy - .[1].power.energy) * 1e3 /
            ((.[2].end_ps - .[2].start_ps) - (.[1].end_ps - .[1].start_ps))' "$out/$n/report.json")
        own=$(awk '/FIGURE bandwidth/ { print $4 }' "$out/log")
        echo "$program,$bits,$n,$rate,$own,$watts,$simulated,$(jq -n "$simulated / $watts - 1")" \
            >>"$out/power.csv"
        jq -r --arg n "$n" '.kernels | .[1].power as $a | .[2].power as $b | $b.units | keys[]
            | [$n, ., ($b.units[.] - $a.units[.]) / ($b.energy - $a.energy)] | @tsv' \
            "$out/$n/report.json" >>"$out/units"
        ;;
    esac
done <"$measured"

awk -F, -v gpu="$gpu" '
    NR == 1 { printf "%-8s multiply-adds   GB/s: real   here   W: real   here   deviation\n", gpu }
    NR == 1 { next }
    { printf "%5d bits %12d %12.0f %6.0f %9.1f %6.1f %+9.1f %%\n", $2, $3, $4, $5, $6, $7, 100 * $8
      sum += $8 < 0 ? -$8 : $8; n++ }
    END { if (n) printf "mean deviation %.1f %% of %d rows\n", 100 * sum / n, n }' "$out/power.csv"
first=$(find "$out" -mindepth 2 -maxdepth 2 -name report.json | sort | head -1)
for watts in $idle; do
    jq -r --arg w "$watts" '"idle: measured \($w) W, with lowered clocks; " +
        "simulated \(.power.idle_w * 10 | round / 10) W, at full clocks"' "$first"
done
echo "by how much a change of a unit's coefficients by half changes power, %:"
awk -F'\t' '{ share[$2] = share[$2] sprintf(" %5.1f", 50 * $3); if (!($1 in seen)) {
        seen[$1] = 1; head = head sprintf(" %5d", $1) } if ($3 > 0.002) some[$2] = 1 }
    END { printf "multiply-adds%s\n", head
          for (u in some) printf "%-13s%s\n", u, share[u] | "sort" }' "$out/units"
