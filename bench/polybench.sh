#!/usr/bin/env bash
# polybench.sh - PolyBench/GPU 1.0 on the simulated GV100, beside what a real one did.
#
#   bench/polybench.sh PROGRAMS [DIRECTORY] [heddle run OPTIONS ...]
#   bench/polybench.sh --table DIRECTORY
#
# PROGRAMS is a folder with 2DConvolution, 3DConvolution, 3mm, atax, bicg, gemm, gesummv,
# gramschmidt and mvt, built elsewhere from the CUDA sources of PolyBench/GPU 1.0 at their default
# sizes (one that is not there is left out and named). DIRECTORY (default heddle-polybench) gets a
# report of each. APPS="atax mvt" runs those alone. The second form prints the table of what is
# there.
#
# Hardware: models/gpus/measured/gv100/polybench.csv. Only launches that it holds are timed, the
# others are executed. Cycles count from the first CTA dealt to the last one retired, and with the
# launch overhead on top. Nothing here is a pass or a fail.
set -euo pipefail
cd "$(dirname "$0")/.."
hardware=models/gpus/measured/gv100/polybench.csv
[ $# -ge 1 ] || { sed -n '4,5s/^#//p' "$0" >&2; exit 2; }
if [ "$1" = --table ]; then
    [ $# -eq 2 ] || { echo "--table wants a directory" >&2; exit 2; }
    out=$2
else
    programs=$1
    out=${2:-heddle-polybench}
    shift $(($# > 1 ? 2 : 1))
    mkdir -p "$out"
    for app in ${APPS:-$(sed '/^#/d; s/,.*//' "$hardware" | uniq)}; do
        if [ ! -x "$programs/$app" ]; then
            echo "left out: $programs/$app is not there" >&2
            continue
        fi
        most=$(grep -c "^$app," "$hardware") || { echo "no figures of $app" >&2; exit 2; }
        echo "$app ..." >&2
        rm -rf "${out:?}/$app"
        "${HEDDLE:-build/bin/heddle}" run --gpu gv100-ncu --launches "0-$((most - 1))" \
            --out "$out/$app" "$@" -- "$programs/$app" >"$out/$app.log" 2>&1 ||
            { echo "$app failed:" >&2; tail -5 "$out/$app.log" >&2; exit 1; }
    done
fi

python3 - "$hardware" "$out" <<'EOF'
import json, os, sys

NAMES = ('cycles', 'ns', 'inst', 'l1', 'l2', 'loads', 'stores', 'l2_sectors', 'dram')
launches = {}
for line in open(sys.argv[1]):
    if not line.startswith('#'):
        cell = line.strip().split(',')
        launches.setdefault(cell[0], []).append(dict(zip(NAMES, map(float, cell[2:]))))


def percent(ours, theirs):
    return 100 * (ours / theirs - 1)


print(f"{'':14}{'launches':>8}{'cycles':>11}{'hardware':>11}{'error':>8}"
      f"{'with launch':>13}{'error':>8}"
      f"{'inst':>8}{'L2 sect':>8}{'DRAM':>8}{'L2 hit':>15}{'wall s':>8}")
errors, errors_all = [], []
for app, hardware in sorted(launches.items(), key=lambda item: item[0].lower()):
    path = os.path.join(sys.argv[2], app, 'report.json')
    if not os.path.exists(path):
        continue
    report = json.load(open(path))
    kernels = [k for k in report['kernels'] if k['timed']][:len(hardware)]
    if len(kernels) < len(hardware):
        sys.exit(f'{path}: {len(kernels)} launches, hardware has {len(hardware)}')
    sums = {name: sum(k[name] for k in kernels)
            for name in ('cycles', 'launch_cycles', 'warp_instructions', 'l2_accesses',
                         'dram_read_bytes', 'dram_write_bytes', 'wall_s')}
    real = {name: sum(h[name] for h in hardware) for name in NAMES}
    execution = sums['cycles'] - sums['launch_cycles']
    dram = (sums['dram_read_bytes'] + sums['dram_write_bytes']) / 32
    hits = sum(k['l2_hit_rate'] * k['l2_accesses'] for k in kernels) / sums['l2_accesses']
    real_hits = sum(h['l2'] * h['l2_sectors'] for h in hardware) / real['l2_sectors']
    errors.append(percent(execution, real['cycles']))
    errors_all.append(percent(sums['cycles'], real['cycles']))
    print(f"{app:14}{len(hardware):8}{execution:11.0f}{real['cycles']:11.0f}{errors[-1]:+7.1f}%"
          f"{sums['cycles']:13.0f}{errors_all[-1]:+7.1f}%"
          f"{percent(sums['warp_instructions'], real['inst']):+7.1f}%"
          f"{percent(sums['l2_accesses'], real['l2_sectors']):+7.1f}%"
          f"{percent(dram, real['dram']):+7.1f}%{100 * hits:8.1f}:{real_hits:5.1f}%"
          f"{sums['wall_s']:8.0f}")
if errors:
    mape = [sum(map(abs, e)) / len(e) for e in (errors, errors_all)]
    print(f'\nmean absolute error of {len(errors)} applications: '
          f'{mape[0]:.1f} % without launch overhead, {mape[1]:.1f} % with it')
    print('inst, L2 sect, DRAM: deviation of warp instructions, sectors asked of L2, sectors read\n'
          'from and written to DRAM; L2 hit: Heddle : hardware')
EOF
