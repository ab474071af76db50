#!/usr/bin/env bash
# microbench.sh - compares the microbenchmarks on the simulated GPU with hardware.
#
#   [GPU=v100] bench/microbench.sh [DIRECTORY] [heddle run OPTIONS ...]
#
# GPU: one with figures in models/gpus/measured: v100, a100-40, a100-80, h100-pcie, h100-sxm. Or
# any, with MEASURED=FILE, figures in the same form. Prints a table of figures and deviations, and
# writes it to DIRECTORY (default heddle-microbench) as figures.csv, with SVG plots where gnuplot
# is installed. There is no pass or fail.
#
# With NATIVE=FOLDER the programs of FOLDER run on this machine's GPU, which GPU names; their
# figures go to DIRECTORY/microbench.csv and strides.csv, and nothing is compared
# (bench/hardware.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-heddle-microbench}
shift || true
gpu=${GPU:-v100}
native=${NATIVE:-}
hardware=${MEASURED:-models/gpus/measured/$gpu/microbench.csv}
strides=$(dirname "$hardware")/strides.csv # of some
probes=$(dirname "$hardware")/probes.csv   # likewise
[ -z "$native" ] || [ -f "$hardware" ] || hardware=/dev/null
[ -e "$hardware" ] || { echo "no figures of $gpu: $hardware is not there" >&2; exit 2; }
# arrays for DRAM are larger than L2; each key cyclic.N needs its own run
l2=$(build/bin/heddle config --gpu "$gpu" | awk '$1 == "l2.size" { print int($3 / 1048576) }')
runs=(arithmetic latency constants "bandwidth -m $((l2 < 13 ? 16 : l2 * 6 / 5))")
[ -n "$native" ] || [ -f "$strides" ] && runs+=(strides)
[ -n "$native" ] || grep -qs '^atomic[.]' "$hardware" "$probes" && runs+=(atomics)
[ -n "$native" ] || grep -qs '^code[.]' "$hardware" "$probes" && runs+=(code)
for kb in $(sed -nE 's/^cyclic[.]([0-9]+)KB,.*/\1/p' "$hardware"); do runs+=("latency -c $kb"); done
mkdir -p "$out"
: >"$out/said"
for name in "${runs[@]}"; do
    echo "micro_$name ..." >&2
    simulate=()
    [ -n "$native" ] ||
        simulate=(build/bin/heddle run --gpu "$gpu" --out "$out/${name%% *}" "$@" --)
    # shellcheck disable=SC2086
    "${simulate[@]}" "${native:-build/apps}"/micro_$name >"$out/log" 2>&1 ||
        { echo "micro_$name failed:" >&2; tail -5 "$out/log" >&2; exit 1; }
    grep ': FIGURE ' "$out/log" >>"$out/said"
done
if [ -n "$native" ]; then
    awk -v out="$out" '{ print $3 "," $4 "," $5 ",apps/microbench by bench/hardware.sh" \
        >(out ($1 == "micro_strides:" ? "/strides.csv" : "/microbench.csv")) }' "$out/said"
    exit 0
fi
cat "$hardware" >"$out/hardware"
for more in "$strides" "$probes"; do [ -f "$more" ] && cat "$more" >>"$out/hardware"; done
awk -v table="$out/hardware" '
    BEGIN {
        while ((getline line < table) > 0) {
            if (line ~ /^#/) continue
            n = split(line, field, ",")
            value[field[1]] = field[2]
            source[field[1]] = field[4]
            for (i = 5; i <= n; i++) source[field[1]] = source[field[1]] "," field[i]
        }
        print "key,simulated,unit,hardware,deviation_percent,source"
    }
    {
        deviation = ($3 in value) ? sprintf("%+.1f", 100 * ($4 / value[$3] - 1)) : ""
        printf "%s,%s,%s,%s,%s,\"%s\"\n", $3, $4, $5, value[$3], deviation, source[$3]
    }' "$out/said" >"$out/figures.csv"
rm "$out/hardware"
awk -F, 'NR == 1 { printf "%-24s %12s %-7s %10s %9s  %s\n", "figure", "simulated", "", "hardware",
                          "deviation", "source"; next }
    { text = $0; sub(/^[^"]*"/, "", text); sub(/"$/, "", text)
      printf "%-24s %12s %-7s %10s %9s  %s\n", $1, $2, $3, $4 == "" ? "-" : $4,
             $5 == "" ? "-" : $5 " %", text }' "$out/figures.csv"

command -v gnuplot >/dev/null ||
    { echo "no plots: gnuplot is not installed (apt-get install gnuplot-nox)" >&2; exit 0; }
# plot FILE KEY-PATTERN X-LABEL Y-LABEL: plots figures over the numbers in their keys
plot() {
    sed -nE "s/^$2,([0-9.]+),.*/\1 \2/p" "$out/figures.csv" | sort -n >"$out/points"
    gnuplot -e "set terminal svg size 640,400; set output '$out/$1.svg'; set logscale x 2; \
        set xlabel '$3'; set ylabel '$4'; set grid; set yrange [0:*]; \
        plot '$out/points' using 1:2 with linespoints pt 7 notitle"
}
plot latency 'latency[.]([0-9]+)KB' 'footprint (KB)' 'cycles per load'
plot occupancy 'dram_read[.]warps[.]([0-9]+)' 'warps per SM' 'DRAM read (GB/s)'
plot conflicts 'shared[.]([0-9]+)way' 'words of one bank' 'cycles per load'
plot barrier 'barrier[.]([0-9]+)' 'warps' 'cycles per barrier'
paste -d' ' <(sed -nE 's/^loaded[.][0-9]+[.]bandwidth,([0-9.]+),.*/\1/p' "$out/figures.csv") \
    <(sed -nE 's/^loaded[.][0-9]+[.]latency,([0-9.]+),.*/\1/p' "$out/figures.csv") >"$out/points"
gnuplot -e "set terminal svg size 640,400; set output '$out/loaded.svg'; set grid; \
    set xlabel 'traffic of the other SMs (GB/s)'; set ylabel 'cycles per load'; set yrange [0:*]; \
    plot '$out/points' using 1:2 with linespoints pt 7 notitle"
rm "$out/points"
echo "plots: $out/{latency,occupancy,conflicts,barrier,loaded}.svg"
