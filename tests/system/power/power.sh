#!/usr/bin/env bash
# power.sh HEDDLE APPS - energy and power of runs (docs/power.md): they add up, they follow the work
# and the clock and nothing else, and where they are not known the report says why.
set -euo pipefail
heddle=$1 apps=$2
. "$(dirname "$0")/../../support/need.sh"
need jq jq
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0

# check NAME TEXT FILTER: the filter holds for the report of the run NAME.
check() {
    jq -e "$3" "$out/$1/report.json" >/dev/null || { echo "$1: $2"; failed=1; }
}
# run NAME OPTIONS...: 160 CTAs; launches 0 and 1 do the same work, launch 2 three times as much.
run() {
    "$heddle" run --power --out "$out/$1" "${@:2}" -- "$apps/micro_intensity" -n 8 -c 160 -e 2 \
        >"$out/said" 2>&1 </dev/null || { cat "$out/said"; exit 1; }
    cp "$out/said" "$out/$1/said"
}

run plain
check plain "units do not add up to a launch's energy" \
    '[.kernels[].power | .energy > 0 and .energy == ([.units[]] | add)] | all'
check plain "a sum of launches is not its launches" \
    '([.kernels[].power.energy] | add) as $sum
     | .kernel_groups | length == 1 and (.[0].power.energy / $sum - 1 | fabs) < 0.01'
check plain "energy is not power by time" \
    '[.kernels[] | .power.energy * 1e-9 / (.cycles / 1.38e9) / .power.average_w - 1 | fabs < 1e-7]
     | all'
check plain "the run's energy is not power by time" \
    '.power | (.energy_j / (.average_w * .time_s) - 1 | fabs) < 1e-7 and .launches == 3
     and .launches_without == 0 and .reason == null'
check plain "shares do not add up to 1" '[.power.units[].share] | add - 1 | fabs < 1e-7'
check plain "a busy kernel takes no more than an idle GPU" \
    '. as $r | [.kernels[].power.average_w > $r.power.idle_w] | all'
check plain "three times the arithmetic does not take three times its energy" \
    '.kernels[2].power.units.fp / .kernels[1].power.units.fp - 3 | fabs < 1e-3'
check plain "three times the memory traffic does not take three times its energy" \
    '.kernels[2].power.units.dram / .kernels[1].power.units.dram - 3 | fabs < 0.05'
grep -q '^Power: [0-9.]* W in kernels, [0-9.]* [mu]J: ' "$out/plain/said" ||
    { echo "no line about power:"; cat "$out/plain/said"; failed=1; }
grep -q '^Power, % of the energy ' "$out/plain/said" || { echo "no table of power"; failed=1; }
wide=$(grep -A1 '^Power' "$out/plain/said" | awk 'length > 80')
[ -z "$wide" ] || { echo "wider than 80 columns: $wide"; failed=1; }

# kernels.csv has the same (columns from the right: names of kernels may have commas)
csv=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "energy_nj") c = NF - i; next }
    { sum += $(NF - c) } END { print sum }' "$out/plain/kernels.csv")
sum=$(jq '[.kernels[].power.energy] | add' "$out/plain/report.json")
awk -v a="$csv" -v b="$sum" 'BEGIN { exit !(a / b > 0.9999 && a / b < 1.0001) }' ||
    { echo "kernels.csv: $csv nJ, report.json: $sum nJ"; failed=1; }

# placement changes nothing
run groups --sm-groups 2 --threads 2
for what in .power '[.kernels[].power]'; do
    cmp -s <(jq -S "$what" "$out/plain/report.json") <(jq -S "$what" "$out/groups/report.json") ||
        { echo "$what depends on --sm-groups"; failed=1; }
done

# half the clock: less power, at a lower voltage
run slow --set clock.core=700 --set network.clock=700 --set core.look_ahead=64
check slow "the voltage did not follow the clock" '.power.voltage | . > 0.74 and . < 0.76'
jq -se '.[0].power.average_w > .[1].power.average_w
    and .[0].power.idle_w > .[1].power.idle_w
    and .[0].kernels[1].power.units.fp > .[1].kernels[1].power.units.fp
    and ((.[0].kernels[1].power.units.dram / .[1].kernels[1].power.units.dram - 1 | fabs) < 0.05)' \
    "$out/plain/report.json" "$out/slow/report.json" >/dev/null ||
    { echo "a lower clock does not save power, or changes device memory's energy"; failed=1; }

# where it is not known, the report says why
run none --set power.model=none
check none "power without coefficients" \
    '(.power | keys == ["reason"]) and (.power.reason | test("v100.ini has no coefficients"))
     and ([.kernels[].power == null] | all)'
grep -q '^Power: not known: .*v100.ini has no coefficients (power.model = none, docs/power.md)$' \
    "$out/none/said" || { echo "no reason on the terminal"; failed=1; }
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "average_w") c = i; next }
    $c != "" { exit 1 }' "$out/none/kernels.csv" || { echo "kernels.csv has power"; failed=1; }
run functional --timing none
check functional "power without timing" \
    '.power.reason == "the run was functional (--timing none)"'
(run some --launches 1 >/dev/null) || true # the program finds that launches took no time
check some "launches that were not timed have energy" \
    '.power.launches_without > 0 and .kernels[0].power == null and .kernels[1].power.energy > 0'
grep -q '^Power: .*J (of [0-9]* launches): ' "$out/said" ||
    { echo "no count of launches"; failed=1; }
run other --gpu a100-40
check other "no power of an A100" '.power.average_w > 0'

# a sweep and a comparison have it
"$heddle" sweep --out "$out/sweep" --column average_w --column energy_j \
    --set power.constant=0,100 -- "$apps/micro_intensity" -c 8 -e 2 >"$out/said" 2>&1 ||
    { cat "$out/said"; exit 1; }
jq -e '[.points[].results] | (.[1].average_w - .[0].average_w - 100 | fabs) < 0.01
    and .[0].energy_j > 0' "$out/sweep/sweep.json" >/dev/null ||
    { echo "sweep: 100 W more are not 100 W more"; failed=1; }
"$heddle" compare --json "$out/plain" "$out/slow" >"$out/compared" || true
jq -e '[.. | .name? // empty] | index("power.average_w") != null' "$out/compared" >/dev/null ||
    { echo "heddle compare does not tell of power"; failed=1; }
exit $failed
