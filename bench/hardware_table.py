"""hardware_table.py - kernels measured on a GPU, beside those of its model (bench/hardware.sh).

    python3 hardware_table.py records DIRECTORY
    python3 hardware_table.py compare DIRECTORY MEASURED GPU

records: prints measured.csv from the records of nsys or ncu, DIRECTORY/native/NAME.RUN.csv.
compare: prints the table, and writes DIRECTORY/hardware.csv, from MEASURED and the reports
DIRECTORY/model/NAME. DIRECTORY/names and labels list the programs, a line each.
"""
import csv
import glob
import json
import os
import statistics
import sys

COLUMNS = ('program', 'arguments', 'kernel', 'launches', 'grid', 'block', 'us', 'least', 'greatest',
           'runs')
TO_US = {'ns': 1e-3, 'nsecond': 1e-3, 'us': 1, 'usecond': 1, 'ms': 1e3, 'msecond': 1e3, 's': 1e6}


def programs(directory):
    """Pairs of a program's name of results and its label, "program,arguments"."""
    lists = [open(os.path.join(directory, f)).read().splitlines() for f in ('names', 'labels')]
    return list(zip(*lists))


def base_name(kernel):
    """A kernel's name without return type, arguments and template's arguments."""
    depth, plain = 0, ''
    for c in kernel.split('(')[0]:
        depth += (c == '<') - (c == '>')
        if not depth and c != '>':
            plain += c
    return plain.strip().split(' ')[-1]


def read_record(path):
    """Launches of a run: (kernel, grid, block, us), by nsys's cuda_gpu_trace or ncu's raw page."""
    lines = [line for line in open(path) if line.startswith('"') or line.count(',') > 5]
    rows = list(csv.DictReader(lines))
    if not rows:
        sys.exit(f'{path}: no record of a kernel')
    if 'gpu__time_duration.sum' in rows[0]:
        unit = TO_US[rows[0]['gpu__time_duration.sum']]
        return [(r['Kernel Name'], r['Grid Size'].strip('()').replace(', ', 'x'),
                 r['Block Size'].strip('()').replace(', ', 'x'),
                 float(r['gpu__time_duration.sum'].replace(',', '')) * unit) for r in rows[1:]]
    if 'Duration (ns)' not in rows[0]:
        sys.exit(f'{path}: neither a trace of nsys nor a page of ncu')
    return [(r['Name'], *('x'.join(r[b + a] for a in 'XYZ') for b in ('Grd', 'Blk')),
             float(r['Duration (ns)']) / 1000) for r in rows if r['GrdX']]


def records(directory):
    out = csv.writer(sys.stdout, lineterminator='\n')
    print('# ' + ','.join(COLUMNS))
    for name, label in programs(directory):
        runs = []
        pattern = os.path.join(directory, 'native', glob.escape(name) + '.*.csv')
        for path in sorted(glob.glob(pattern)):
            kernels = {}
            for kernel, grid, block, us in read_record(path):
                kernels.setdefault(base_name(kernel), []).append((grid, block, us))
            runs.append(kernels)
        for kernel in runs[0] if runs else []:
            launches = runs[0][kernel]
            times = [sum(l[2] for l in run.get(kernel, [])) for run in runs]
            shapes = [{l[i] for l in launches} for i in (0, 1)]
            out.writerow(label.split(',', 1) + [kernel, len(launches)] +
                         [s.pop() if len(s) == 1 else 'several' for s in shapes] +
                         [f'{t:.3f}' for t in (statistics.median(times), min(times), max(times))] +
                         [len(times)])


def model_kernels(path):
    """Kernels of a report by name: launches, microseconds with and without launch overhead."""
    report, kernels = json.load(open(path)), {}
    for g in report['kernel_groups']:
        if g['timed']:
            sums = kernels.setdefault(base_name(g['name']), [0, 0.0, 0.0])
            us = g['time_ps'] / 1e6
            sums[0] += g['launches']
            sums[1] += us
            sums[2] += us * (1 - g['launch_cycles'] / g['cycles']) if g['cycles'] else 0.0
    return kernels


def mape(rows, member):
    return sum(abs(r[member]) for r in rows) / len(rows)


def median(rows, member):
    return statistics.median(abs(r[member]) for r in rows)


def compare(directory, measured, gpu):
    reports = {}
    for name, label in programs(directory):
        path = os.path.join(directory, 'model', name, 'report.json')
        if os.path.exists(path):
            reports[label] = model_kernels(path)
    rows, missing = [], {}
    for line in csv.reader(l for l in open(measured) if l[0] != '#'):
        real = dict(zip(COLUMNS, line))
        label = real['program'] + ',' + real['arguments']
        if label not in reports:
            missing[label.rstrip(',')] = 'no report of the model'
            continue
        ours = reports[label].get(base_name(real['kernel']))
        if not ours:
            missing[f"{label.rstrip(',')}: {real['kernel']}"] = 'the model ran no such kernel'
        elif ours[0] != int(real['launches']):
            missing[f"{label.rstrip(',')}: {real['kernel']}"] = \
                f"{ours[0]} launches on the model, {real['launches']} on the GPU"
        else:
            us = float(real['us'])
            rows.append({**{c: real[c] for c in COLUMNS[:6]}, 'hardware_us': us,
                         'model_us': round(ours[1], 3), 'execution_us': round(ours[2], 3),
                         'error_percent': round(100 * (ours[1] / us - 1), 2),
                         'execution_error_percent': round(100 * (ours[2] / us - 1), 2)})
    for what, why in missing.items():
        print(f'left out: {what}: {why}', file=sys.stderr)
    if not rows:
        sys.exit('no kernel to compare')
    path = os.path.join(directory, 'hardware.csv')
    with open(path + '.part', 'w', newline='') as f:
        w = csv.DictWriter(f, rows[0].keys(), lineterminator='\n')
        w.writeheader()
        w.writerows(rows)
    os.replace(path + '.part', path)
    print(f'{"program":36}{"kernel":24}{"launches":>9}{"GPU us":>11}{gpu + " us":>14}{"error":>9}'
          f'{"execution":>11}{"error":>9}')
    for r in rows:
        label = (r['program'] + ' ' + r['arguments']).strip()
        print(f"{label:35.35} {r['kernel']:24.24}{r['launches']:>9}{r['hardware_us']:11.2f}"
              f"{r['model_us']:14.2f}{r['error_percent']:+8.1f}%{r['execution_us']:11.2f}"
              f"{r['execution_error_percent']:+8.1f}%")
    print(f'MAPE of {len(rows)} kernels: {mape(rows, "error_percent"):.1f} % with launch overhead, '
          f'{mape(rows, "execution_error_percent"):.1f} % without; medians '
          f'{median(rows, "error_percent"):.1f} % and '
          f'{median(rows, "execution_error_percent"):.1f} %')
    by_program = {}
    for r in rows:
        by_program.setdefault(r['program'], []).append(r)
    for program, mine in by_program.items():
        print(f'  {program:24}{len(mine):>4} kernels {mape(mine, "error_percent"):8.1f} %'
              f'{mape(mine, "execution_error_percent"):8.1f} %')
    print(f'Written: {path}')


if sys.argv[1] == 'records':
    records(sys.argv[2])
else:
    compare(*sys.argv[2:5])
