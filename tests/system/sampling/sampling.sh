#!/usr/bin/env bash
# sampling.sh HEDDLE APPS - checks that a sampled run has the program's right results, times fewer
# than half of the launches, estimates the cycles of full detail within 2 % and reports the error,
# and gives the same bytes each time and in every placement.
set -euo pipefail
heddle=$1 apps=$2
. "$(dirname "$0")/../../support/need.sh"
need jq jq
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
wrong() { echo "$*"; failed=1; }
cd "$out"

run() { # DIR OPTIONS...: runs a program of some thirty kernels per step
    local to=$1
    shift
    "$heddle" run --set sm.count=16 --out "$to" "$@" -- "$apps/hydro3d" -s 6 -i 24 \
        >"$to.txt" 2>&1 ||
        wrong "$to failed: $(cat "$to.txt")"
    grep -q '^hydro3d: PASS' "$to.txt" || wrong "$to: $(cat "$to.txt")"
}

run full
run sampled --sample --compare full
run again --sample --compare full
run elsewhere --sample --compare full --sm-groups 2 --threads 2

jq -e '.run.sampling.all | .timed * 2 < .launches and .half_width_95_cycles > 0 and
    (.error_percent | fabs) < 2 and .full_detail_cycles > 0' sampled/report.json >/dev/null ||
    wrong "sampling: $(jq -c .run.sampling.all sampled/report.json)"
jq -e '.run.sampling == null' full/report.json >/dev/null || wrong "full is said to be sampled"
# The sums over launches and kernels agree.
jq -e '([.kernels[].cycles] | add) == .run.sampling.all.cycles and
    ([.run.sampling.kernels[].launches] | add) == (.kernels | length) and
    ([.kernels[] | select(.estimated | not)] | length) == .run.sampling.all.timed' \
    sampled/report.json >/dev/null || wrong "the sums of sampled/report.json are wrong"
grep -q '^ESTIMATE by kernel sampling: ' sampled.txt || wrong "no word of it: $(cat sampled.txt)"
for other in again elsewhere; do
    for file in kernels.csv sampling.csv; do
        cmp -s "sampled/$file" "$other/$file" || wrong "$other: $file differs"
    done
done
# Times are consistent: no kernel begins before its predecessor on the stream has ended.
jq -e '[.kernels[] | [.start_ps, .end_ps]] | . as $k |
    all(range(1; length); $k[.][0] >= $k[. - 1][1])' sampled/report.json >/dev/null ||
    wrong "kernels of one stream overlap"
# --compare refuses the report of another run.
"$heddle" run -q --set sm.count=16 --out less --sample --compare full -- "$apps/hydro3d" -s 6 -i 2 \
    >less.txt 2>&1 && wrong "compared with another run"
grep -q 'error: --compare full: there are [0-9]* launches in it, here are [0-9]*' less.txt ||
    wrong "less: $(cat less.txt)"
exit $failed
