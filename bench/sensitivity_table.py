"""sensitivity_table.py - tables and heat map of the sweeps that bench/sensitivity.sh has made.

    python3 sensitivity_table.py DIRECTORY PARAMETERS PROGRAM ...

DIRECTORY has a sweep of each program, and gpu.txt, the parameters of the base with their status
(heddle config). PARAMETERS: the table of steps. The head of sensitivity.sh names the files written.
Launches of a kernel are added up. Elasticity: percent of cycles (launch overhead included) for each
percent of the parameter; with both steps from the lower to the upper one, else from the base.
"""
import csv
import json
import math
import os
import sys

WAITS_NOT_LOST = ('issued', 'no_warp')
MIX = ('int', 'fp16', 'fp32', 'fp64', 'tensor', 'special', 'memory', 'control', 'misc')


def read_gpu(path):
    """Values and status of each parameter, from `heddle config`."""
    values = {}
    for line in open(path):
        head, _, rest = line.partition(' ; ')
        key, _, value = head.partition(' = ')
        if rest:
            values[key.strip()] = (value.strip(), rest.split('|')[1].strip())
    return values


def read_parameters(path):
    """Names of the parameters, keys joined by '+', in the order of the table."""
    return [line.split(',')[0] for line in open(path) if line.strip() and line[0] != '#']


def kernels_of(path):
    """Timed kernels of a report by name: sums over the groups of equal launches."""
    kernels = {}
    for group in json.load(open(path))['kernel_groups']:
        if group['timed']:
            kernels.setdefault(group['name'], []).append(group)
    return kernels


def total(groups, member):
    return sum(g[member] or 0 for g in groups)


def shape(groups, member):
    shapes = {'x'.join(map(str, g[member])) for g in groups}
    return shapes.pop() if len(shapes) == 1 else 'several'


def rate(groups, hits, accesses):
    """Weighted mean of a hit rate; empty without accesses."""
    count = total(groups, accesses)
    return f'{sum((g[hits] or 0) * g[accesses] for g in groups) / count:.3f}' if count else ''


def characterise(program, name, groups, gpu):
    """A row of kernels.csv."""
    def parts(member):
        sums = {}
        for g in groups:
            for key, value in (g[member] or {}).items():
                if isinstance(value, (int, float)):
                    sums[key] = sums.get(key, 0) + value
        return sums
    cycles, launch = total(groups, 'cycles'), total(groups, 'launch_cycles')
    warp = max(total(groups, 'warp_instructions'), 1)
    mix, stack = parts('instruction_mix'), parts('cpi_stack')
    lanes = sum(mix[m] for m in MIX)
    slots = (cycles - launch) * int(gpu['sm.count'][0]) * int(gpu['sm.warps'][0])
    lost = sorted(((v, k) for k, v in stack.items() if k not in WAITS_NOT_LOST), reverse=True)
    most = sum(stack.values()) - stack.get('no_warp', 0)
    row = {
        'program': program, 'kernel': name, 'launches': total(groups, 'launches'),
        'grid': shape(groups, 'grid'), 'block': shape(groups, 'block'),
        'registers': max(g['registers'] for g in groups),
        'shared_bytes': max(g['shared_bytes'] for g in groups),
        'cycles': cycles, 'launch_cycles': launch,
        'warp_instructions': total(groups, 'warp_instructions'),
        'active_lanes': f'{lanes / warp:.1f}',
    }
    for m in MIX:
        row[m + '_percent'] = f'{100 * mix[m] / max(lanes, 1):.1f}'
    row.update({
        'occupancy': f"{total(groups, 'warp_cycles') / slots:.3f}" if slots else '',
        'l1_hit_rate': rate(groups, 'l1_hit_rate', 'l1_accesses'),
        'l2_hit_rate': rate(groups, 'l2_hit_rate', 'l2_accesses'),
        'dram_bytes': total(groups, 'dram_read_bytes') + total(groups, 'dram_write_bytes'),
        'atomic_turns': total(groups, 'atomic_turns'),
        'idle_percent': f"{100 * stack.get('no_warp', 0) / max(sum(stack.values()), 1):.1f}",
        'first_wait': lost[0][1] if lost and lost[0][0] else '',
        'first_wait_percent': f'{100 * lost[0][0] / most:.1f}' if lost and most else '',
    })
    return row


def elasticity(base, ends):
    """`base`: value and cycles; `ends`: the same of one or two steps."""
    low, high = (ends[0], base) if len(ends) == 1 else sorted(ends)
    change = (high[0] - low[0]) / base[0]
    return (high[1] - low[1]) / base[1] / change if change else math.nan


def read_program(directory, program, gpu, known, problems):
    """Rows of kernels.csv and of sensitivity.csv of one program."""
    folder = os.path.join(directory, program)
    path = os.path.join(folder, 'sweep.json')
    if not os.path.exists(path):
        problems.append(f'{program}: no results')
        return [], []
    points = [p for p in json.load(open(path))['points'] if p['done']]
    base = next((p for p in points if p['directory'] == 'base'), None)
    if not base:
        problems.append(f'{program}: the base has no result')
        return [], []

    def kernels(point):
        return kernels_of(os.path.join(folder, 'points', point['directory'], 'report.json'))
    there = kernels(base)
    if not there:
        problems.append(f'{program}: no kernel was timed')
    steps = {}
    for point in points:
        moved = [k for k, v in point['values'].items() if v != base['values'][k]]
        name = next((n for n in known if moved and n.split('+')[0] == moved[0]), None)
        if not name:
            continue
        values = (float(point['values'][moved[0]]), point['values'][moved[0]])
        for kernel, groups in kernels(point).items():
            if total(groups, 'launches') != total(there.get(kernel, []), 'launches'):
                problems.append(f"{program}: {point['directory']}: {kernel} has other launches")
                continue
            steps.setdefault((kernel, name), []).append((*values, total(groups, 'cycles')))
    rows = []
    for (kernel, name), found in steps.items():
        key = name.split('+')[0]
        cycles = total(there[kernel], 'cycles')
        value = float(gpu[key][0])
        up = next((f for f in found if f[0] > value), None)
        down = next((f for f in found if f[0] < value), None)
        e = elasticity((value, cycles), [(f[0], f[2]) for f in (up, down) if f])
        rows.append({
            'program': program, 'kernel': kernel, 'parameter': name, 'status': gpu[key][1],
            'value': gpu[key][0], 'cycles': cycles, 'up': up[1] if up else '',
            'up_cycles': up[2] if up else '', 'down': down[1] if down else '',
            'down_cycles': down[2] if down else '', 'elasticity': f'{e:.4f}'})
    return [characterise(program, k, g, gpu) for k, g in sorted(there.items())], rows


def write_csv(path, rows):
    with open(path + '.part', 'w', newline='') as f:
        w = csv.DictWriter(f, rows[0].keys(), lineterminator='\n')
        w.writeheader()
        w.writerows(rows)
    os.replace(path + '.part', path)


def write_text(path, text):
    with open(path + '.part', 'w') as f:
        f.write(text)
    os.replace(path + '.part', path)


def per_parameter(rows, known):
    """Rows of parameters.csv, the parameter that matters most first."""
    result = []
    for name in known:
        mine = [r for r in rows if r['parameter'] == name]
        if not mine:
            continue
        sizes = [abs(float(r['elasticity'])) for r in mine]
        most = mine[sizes.index(max(sizes))]
        result.append({
            'parameter': name, 'status': mine[0]['status'], 'value': mine[0]['value'],
            'mean': f'{sum(sizes) / len(sizes):.4f}', 'most': f'{max(sizes):.4f}',
            'most_program': most['program'], 'most_kernel': most['kernel'],
            'kernels_above_0.1': sum(s > 0.1 for s in sizes), 'kernels': len(sizes)})
    return sorted(result, key=lambda r: -float(r['mean']))


def short(text, most):
    """A kernel's own name: without name spaces and return type, cut."""
    text = text.split('<')[0].split('(')[0].split('::')[-1].split(' ')[-1]
    return text if len(text) <= most else text[:most - 1] + '…'


def markdown(parameters, kernels, rows):
    lines = ['| parameter | status | mean | most | of | kernels above 0.1 |',
             '|---|---|---|---|---|---|']
    for p in parameters:
        lines.append(f"| `{p['parameter']}` | {p['status']} | {float(p['mean']):.3f} | "
                     f"{float(p['most']):.2f} | {p['most_program']}: "
                     f"`{short(p['most_kernel'], 30)}` | {p['kernels_above_0.1']} |")
    lines += ['', '| program | kernel | cycles | elasticities above 0.05 |', '|---|---|---|---|']
    for k in kernels:
        mine = [r for r in rows if (r['program'], r['kernel']) == (k['program'], k['kernel'])]
        mine.sort(key=lambda r: -abs(float(r['elasticity'])))
        text = ', '.join(f"`{r['parameter']}` {float(r['elasticity']):+.2f}" for r in mine
                         if abs(float(r['elasticity'])) > 0.05)
        lines.append(f"| {k['program']} | `{short(k['kernel'], 30)}` | {k['cycles']} | {text} |")
    return '\n'.join(lines) + '\n'


def colour(e):
    """White at 0; red where more of the parameter means more cycles, blue where it means fewer."""
    depth = min(math.sqrt(abs(e)), 1.0)
    full = (176, 24, 43) if e > 0 else (33, 102, 172)
    return '#%02x%02x%02x' % tuple(round(255 - depth * (255 - c)) for c in full)


def escape(text):
    return text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')


def heat_map(parameters, kernels, rows):
    cell, left, top = 14, 270, 190
    names = [p['parameter'] for p in parameters]
    value = {(r['program'], r['kernel'], r['parameter']): float(r['elasticity']) for r in rows}
    width, height = left + cell * len(names) + 130, top + cell * len(kernels) + 50
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           'font-family="sans-serif" font-size="10">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for x, name in enumerate(names):
        at = left + x * cell + cell / 2 + 3
        label = name.split('+')[0] + (' ...' if '+' in name else '')
        out.append(f'<text x="{at}" y="{top - 6}" transform="rotate(-60 {at} {top - 6})">'
                   f'{escape(label)}</text>')
    for y, k in enumerate(kernels):
        label = f"{k['program']}: {short(k['kernel'], 28)}"
        line = top + y * cell
        out.append(f'<text x="{left - 6}" y="{line + 11}" text-anchor="end">'
                   f'{escape(label)}</text>')
        for x, name in enumerate(names):
            e = value.get((k['program'], k['kernel'], name))
            fill = '#dddddd' if e is None else colour(e)
            title = 'no result' if e is None else f'{e:+.3f}'
            out.append(f'<rect x="{left + x * cell}" y="{line}" width="{cell - 1}" '
                       f'height="{cell - 1}" fill="{fill}"><title>{escape(label)}, '
                       f'{escape(name)}: {title}</title></rect>')
    line = top + len(kernels) * cell + 16
    for i, e in enumerate((-1, -0.5, -0.1, 0, 0.1, 0.5, 1)):
        x = left + i * 48
        out.append(f'<rect x="{x}" y="{line}" width="14" height="14" fill="{colour(e)}" '
                   f'stroke="#cccccc"/><text x="{x + 18}" y="{line + 11}">{e:+g}</text>')
    return '\n'.join(out + ['</svg>']) + '\n'


def main():
    directory, table, programs = sys.argv[1], sys.argv[2], sys.argv[3:]
    gpu, known, problems = read_gpu(os.path.join(directory, 'gpu.txt')), read_parameters(table), []
    kernels, rows = [], []
    for program in programs:
        k, r = read_program(directory, program, gpu, known, problems)
        kernels += k
        rows += r
    for problem in problems:
        print(problem, file=sys.stderr)
    if not rows:
        sys.exit('no kernel has a result')
    order = {name: i for i, name in enumerate(known)}
    rows.sort(key=lambda r: (programs.index(r['program']), r['kernel'], order[r['parameter']]))
    parameters = per_parameter(rows, known)

    def path(name):
        return os.path.join(directory, name)
    write_csv(path('kernels.csv'), kernels)
    write_csv(path('sensitivity.csv'), rows)
    write_csv(path('parameters.csv'), parameters)
    write_text(path('sensitivity.md'), markdown(parameters, kernels, rows))
    write_text(path('sensitivity.svg'), heat_map(parameters, kernels, rows))
    print(f'{"parameter":58}{"status":>10}{"mean":>8}{"most":>7}  of')
    for p in parameters:
        print(f"{p['parameter']:58}{p['status']:>10}{float(p['mean']):8.3f}{float(p['most']):7.2f}"
              f"  {p['most_program']}: {short(p['most_kernel'], 30)}")
    print(f'{len(kernels)} kernels of {len(programs)} programs. Written: {directory}/kernels.csv, '
          'sensitivity.csv, parameters.csv, sensitivity.md, sensitivity.svg')
    sys.exit(1 if problems else 0)


main()
