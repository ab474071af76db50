#!/usr/bin/env bash
# hardware.sh HEDDLE APPS - checks bench/hardware.sh without a GPU: with times from a file, and with
# profilers that print what nsys and ncu print.
set -euo pipefail
export HEDDLE=$1
apps=$2
bench=$(cd "$(dirname "$0")/../../../bench" && pwd)
. "$(dirname "$0")/../../support/need.sh"
need python3 python3
need jq jq
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
wrong() { echo "$*"; failed=1; }
cd "$out"
"$HEDDLE" run -q --out alone -- "$apps/vector_add" -n 4096 >said 2>&1
half=$(jq '.kernel_groups[0].time_ps / 2e6' alone/report.json)

# ---- measured elsewhere: the model takes twice as long; other kernels and programs are named
cat >measured.csv <<M
# program,arguments,kernel,launches,grid,block,us,least,greatest,runs
vector_add,-n 4096,vector_add,1,16x1x1,256x1x1,$half,1,2,5
vector_add,-n 4096,other,1,16x1x1,256x1x1,1,1,2,5
does_not_exist,,kernel,1,1x1x1,1x1x1,1,1,1,5
M
status=0
"$bench/hardware.sh" --gpu v100 --measured measured.csv --apps "$apps" table >said 2>named ||
    status=$?
[ $status = 1 ] || wrong "exit status $status with a program that fails"
grep -q '^MAPE of 1 kernels: 100.0 % with launch overhead' said || wrong "$(cat said named)"
grep -q '^left out: vector_add,-n 4096: other: the model ran no such kernel' named &&
    grep -q '^does_not_exist failed on the model, left out: exit status 125' named &&
    grep -q '^left out: does_not_exist: no report of the model' named || wrong "$(cat named)"
grep -q '^vector_add,-n 4096,vector_add,1,16x1x1,256x1x1,.*,100.0,' table/hardware.csv ||
    wrong "$(cat table/hardware.csv)"

# ---- profilers: a program of a list, twice
echo "mine $apps ./vector_add -n 4096" >list
mkdir nsys ncu
cat >nsys/nsys <<'N'
#!/usr/bin/env bash
[ "$1" = stats ] || exit 0
echo 'Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Name'
echo "1000,$DURATION,1,16,1,1,256,1,1,\"vector_add(const float *, float *)\""
echo '9000,500,2,,,,,,,[CUDA memcpy Device-to-Host]'
N
cat >ncu/ncu <<'N'
#!/usr/bin/env bash
echo '==PROF== Connected'
echo '"ID","Process ID","Kernel Name","Block Size","Grid Size","gpu__time_duration.sum"'
echo '"","","","","","nsecond"'
echo "\"0\",\"9\",\"void vector_add<int>(T1)\",\"(256, 1, 1)\",\"(16, 1, 1)\",\"$DURATION\""
N
chmod +x nsys/nsys ncu/ncu
DURATION=$(jq '.kernel_groups[0].time_ps / 1e3 | floor' alone/report.json)
export DURATION
for profiler in nsys ncu; do
    PATH=$out/$profiler:$PATH "$bench/hardware.sh" --gpu v100 --programs list --only mine --runs 2 \
        "$profiler-results" >said 2>named || true
    grep -q '^MAPE of 1 kernels: 0.0 % with launch overhead' said ||
        wrong "$profiler: $(cat said named)"
    grep -qE '^mine,,vector_add,1,16x1x1,256x1x1,[0-9.]+,[0-9.]+,[0-9.]+,2$' \
        "$profiler-results/measured.csv" || wrong "$(cat $profiler-results/measured.csv)"
    grep -q '^the microbenchmarks failed on the GPU$' named || wrong "no GPU, but: $(cat named)"
done
exit $failed
