#!/usr/bin/env bash
# gv100.sh - compares public programs on the simulated GV100 with a real one and with Accel-Sim.
#
#   bench/gv100.sh SUITE PROGRAMS [DIRECTORY] [heddle run OPTIONS ...]
#   bench/gv100.sh SUITE --table DIRECTORY
#
# SUITE: polybench, rodinia or lulesh; models/gpus/measured/gv100/SUITE.csv lists the programs,
# arguments and launches. PROGRAMS is a folder with an executable of each of these names, built by
# the user from public sources. Each runs in that folder without arguments; use a script where a
# program needs some. Missing programs are skipped and named. The report of each program goes to
# DIRECTORY (default heddle-SUITE). The second form prints the table of existing reports.
#
# Environment: APPS="atax mvt" runs only these programs. MOST=10 times at most ten launches of each;
# the others run functionally. FIRST=52: number of the program's launch that is the first one in the
# file (default 0). DETAIL=1 prints each timed launch.
#
# Cycles are given from the first CTA dispatched to the last one retired, and with launch overhead.
# There is no pass or fail.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
[ $# -ge 2 ] || { sed -n '4,5s/^#//p' "$0" >&2; exit 2; }
suite=$1
hardware=$top/models/gpus/measured/gv100/$suite.csv
[ -f "$hardware" ] || { echo "no suite $suite: $hardware is not there" >&2; exit 2; }
shift
first=${FIRST:-0} most=${MOST:-1000}
if [ "$1" = --table ]; then
    [ $# -eq 2 ] || { echo "--table wants a directory" >&2; exit 2; }
    out=$2
else
    programs=$(cd "$1" && pwd)
    mkdir -p "${2:-heddle-$suite}"
    out=$(cd "${2:-heddle-$suite}" && pwd)
    shift $(($# > 1 ? 2 : 1))
    for app in ${APPS:-$(sed '/^#/d; s/,.*//' "$hardware" | uniq)}; do
        if [ ! -x "$programs/$app" ]; then
            echo "left out: $programs/$app is not there" >&2
            continue
        fi
        rows=$(grep -c "^$app," "$hardware") || { echo "no figures of $app" >&2; exit 2; }
        rows=$((rows < most ? rows : most))
        echo "$app ..." >&2
        rm -rf "${out:?}/$app"
        (cd "$programs" &&
            "${HEDDLE:-$top/build/bin/heddle}" run --gpu gv100-ncu \
                --launches "$first-$((first + rows - 1))" --out "$out/$app" "$@" \
                -- "./$app") >"$out/$app.log" 2>&1 ||
            { echo "$app failed:" >&2; tail -5 "$out/$app.log" >&2; exit 1; }
    done
fi

python3 - "$hardware" "$out" "${DETAIL:-0}" <<'EOF'
import json, os, sys

NAMES = ('cycles', 'ns', 'inst', 'l1', 'l2', 'loads', 'stores', 'l2_sectors', 'dram', 'sm_cycles',
         'accel_sim')
detail = sys.argv[3] != '0'
launches = {}
for line in open(sys.argv[1]):
    if not line.startswith('#'):
        cell = line.strip().split(',')
        launches.setdefault(cell[0], []).append(dict(zip(NAMES, map(float, cell[2:]))))


def percent(ours, theirs):
    return 100 * (ours / theirs - 1) if theirs else 0.0


def row(name, count, kernels, hardware):
    """Prints a line; returns the errors without and with launch overhead, and Accel-Sim's."""
    ours = {key: sum(k[key] or 0 for k in kernels)
            for key in ('cycles', 'launch_cycles', 'warp_instructions', 'l2_accesses',
                        'dram_read_bytes', 'dram_write_bytes', 'wall_s')}
    real = {key: sum(h[key] for h in hardware) for key in NAMES}
    execution = ours['cycles'] - ours['launch_cycles']
    dram = (ours['dram_read_bytes'] + ours['dram_write_bytes']) / 32
    hits = (sum((k['l2_hit_rate'] or 0) * k['l2_accesses'] for k in kernels) /
            max(ours['l2_accesses'], 1))
    real_hits = sum(h['l2'] * h['l2_sectors'] for h in hardware) / max(real['l2_sectors'], 1)
    errors = (percent(execution, real['cycles']), percent(ours['cycles'], real['cycles']),
              percent(real['accel_sim'], real['cycles']))
    print(f"{name:24.24}{count:>8}{execution:11.0f}{real['cycles']:11.0f}{errors[0]:+7.1f}%"
          f"{ours['cycles']:13.0f}{errors[1]:+7.1f}%{errors[2]:+10.1f}%"
          f"{percent(ours['warp_instructions'], real['inst']):+8.1f}%"
          f"{percent(ours['l2_accesses'], real['l2_sectors']):+8.1f}%"
          f"{percent(dram, real['dram']):+8.1f}%{100 * hits:8.1f}:{real_hits:5.1f}%"
          f"{ours['wall_s']:8.1f}")
    return errors


print(f"{'':24}{'launches':>8}{'cycles':>11}{'hardware':>11}{'error':>8}"
      f"{'with launch':>13}{'error':>8}{'Accel-Sim':>11}"
      f"{'inst':>9}{'L2 sect':>9}{'DRAM':>9}{'L2 hit':>15}{'wall s':>8}")
all_errors = []
for app, hardware in sorted(launches.items(), key=lambda item: item[0].lower()):
    path = os.path.join(sys.argv[2], app, 'report.json')
    if not os.path.exists(path):
        continue
    kernels = [k for k in json.load(open(path))['kernels'] if k['timed']][:len(hardware)]
    if not kernels:
        sys.exit(f'{path}: no launch was timed; FIRST is beyond the last one?')
    rows = len(hardware)
    hardware = hardware[:len(kernels)]
    count = str(rows) if len(kernels) == rows else f'{len(kernels)}/{rows}'
    if detail:
        for k, h in zip(kernels, hardware):
            row(k['name'], k['launch'], [k], [h])
    all_errors.append(row(app, count, kernels, hardware))
if all_errors:
    mean = [sum(map(abs, e)) / len(e) for e in zip(*all_errors)]
    print(f'\nmean absolute error of {len(all_errors)} applications: '
          f'{mean[0]:.1f} % without launch overhead, {mean[1]:.1f} % with it; '
          f'Accel-Sim {mean[2]:.1f} %')
    print('inst, L2 sect, DRAM: deviation of warp instructions, sectors asked of L2, sectors read\n'
          'from and written to DRAM; L2 hit: Heddle : hardware')
EOF
