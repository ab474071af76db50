#!/usr/bin/env bash
# project.sh HEDDLE PROGRAM TERMS.def - runs a program on a simulated V100 and projects it: the form
# of the JSON that tools rely on, times in order, the source itself, every file that is written, and
# what each term of the default model does. The program's data exceed the V100's L2, but not the
# A100's, so that no term is idle.
set -euo pipefail
heddle=$1 program=$2 table=$3
. "$(dirname "$0")/../../support/need.sh"
need jq jq
h100=$(cd "$(dirname "$0")/../../../models/gpus/measured/h100-sxm" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
wrong() { echo "$*"; failed=1; }
cd "$out"
targets=a100-80,h100-pcie,rtx3090

"$heddle" run -q --gpu v100 --out run -- "$program" -n 1500000 >said 2>&1 ||
    wrong "the run failed: $(cat said)"

# ---- JSON: exactly these members; tools rely on the names
cat >form.jq <<'END'
def is(names): (keys | sort) == (names | sort);
def levels: is(["l1", "l2", "dram"]) and all(.[]; . == null or type == "number");
def ceilings: is(["performance", "bandwidth", "roof"]) and (.performance | type == "number") and
    (.bandwidth | levels) and (.roof | levels);
def times: all(.low_us, .centre_us, .high_us; type == "number" and . > 0) and
    .low_us <= .centre_us and .centre_us <= .high_us;
def bound: IN("compute", "L1", "shared", "L2", "DRAM", "atomics", "issue", "latency", "launch");
def target: is(["low_us", "centre_us", "high_us", "clock_mhz", "bound", "source_bound",
        "operations", "oi", "ceilings", "source_oi", "source_ceilings", "achieved",
        "warp_instructions", "thread_instructions", "confidence", "why"]) and
    times and .clock_mhz > 1000 and (.bound | bound) and (.source_bound | bound) and
    (.operations | IN("flop", "instructions")) and (.oi | levels) and (.ceilings | ceilings) and
    (.source_oi | levels) and (.source_ceilings | ceilings) and .achieved > 0 and
    .confidence > 0 and .confidence <= 1 and (.why | type == "string");
def kernel: is(["name", "launch", "measured_us", "clock_mhz", "targets"]) and .launch == 0 and
    .clock_mhz == 1380 and
    (.targets | is($gpus) and all(.[]; target));
def sums: .targets | is($gpus) and all(.[]; is(["low_us", "centre_us", "high_us"]) and times);
def application: is(["measured_us", "refused", "targets", "timeline", "kernels"]) and
    .refused == 0 and .timeline and sums and (.kernels | is(["measured_us", "targets"]) and sums);
is(["model", "from", "kernels", "application"]) and .model == $model and .from == "v100-pcie" and
    (.kernels | length == 1 and all(.[]; kernel)) and (.application | application) and
    .kernels[0].name == "vector_add" and
    (($run[0].kernels[0] | (.end_ps - .start_ps) / 1e6) - .kernels[0].measured_us | fabs) < 1e-6 and
    .application.kernels.measured_us == .kernels[0].measured_us and
    .application.measured_us > .kernels[0].measured_us and
    .application.kernels.targets["a100-80"].centre_us == .kernels[0].targets["a100-80"].centre_us
END
for model in paper heddle; do
    "$heddle" project --to $targets --model $model --json run >$model.json 2>said ||
        wrong "$model: exit status $?"
    [ ! -s said ] || wrong "$model: $(cat said)"
    jq -e --arg model $model --slurpfile run run/report.json \
        --argjson gpus "[\"${targets//,/\",\"}\"]" -f form.jq $model.json >/dev/null ||
        wrong "$model: not the JSON that tools rely on: $(cat $model.json)"
    "$heddle" project --to $targets --model $model --json run | cmp - $model.json ||
        wrong "$model: a second call has other bytes"
done
"$heddle" project --to $targets --json run | cmp - heddle.json || wrong "the default is not heddle"
cmp -s paper.json heddle.json && wrong "both models have the same bytes"

# ---- to the GPU of the run itself: the measured time
for model in paper heddle; do
    "$heddle" project --to v100-pcie --model $model --json run | jq -e --arg model $model '
        [.kernels[0], .application] | all(.[]; .measured_us as $us | .targets["v100-pcie"] |
            def same: (. / $us - 1 | fabs) < 1e-9;
            (.centre_us | same) and ($model == "heddle" or all(.low_us, .high_us; same)))
        ' >/dev/null ||
        wrong "$model: the source is not projected to itself"
done

# ---- the table, on the terminal
"$heddle" project --to $targets run >printed || wrong "exit status $? of the table"
for gpu in ${targets//,/ }; do
    grep -q "^v100-pcie -> $gpu (NVIDIA " printed || wrong "no table for $gpu: $(cat printed)"
done
[ "$(grep -c '^vector_add \|^application ' printed)" = 6 ] ||
    wrong "not two lines for each GPU: $(cat printed)"

# ---- files
cat >times.csv <<'END'
name,launch,gpu,us
vector_add,,a100-80,10
vector_add,0,h100-pcie,8
vector_add,,t4,60
END
"$heddle" project --to $targets --csv rows.csv --plot pictures --measured times.csv --json run \
    >measured.json 2>said || wrong "exit status $? with files"
grep -q 'left out the rows of GPUs that are not projected to: 1, first t4 in line 4' said ||
    wrong "nothing said of the row of another GPU: $(cat said)"
jq -e --slurpfile plain heddle.json '.kernels[0].targets as $t |
    $plain[0].kernels[0].targets as $p |
    $t["a100-80"].measured_target_us == 10 and $t["h100-pcie"].measured_target_us == 8 and
    $t["rtx3090"].measured_target_us == null and $t["rtx3090"].error_percent == null and
    $t["a100-80"].centre_us == $p["a100-80"].centre_us and
    ($t["a100-80"].error_percent - ($p["a100-80"].centre_us / 10 - 1) * 100 | fabs) < 1e-9 and
    .application.kernels.targets["h100-pcie"].measured_target_us == 8' measured.json >/dev/null ||
    wrong "the measured times are not in the JSON: $(cat measured.json)"
head=launch,name,from,to,model,measured_us,low_us,centre_us,high_us,source_bound,bound,confidence
[ "$(head -1 rows.csv)" = "$head,measured_target_us,error_percent" ] ||
    wrong "the CSV's head: $(head -1 rows.csv)"
[ "$(cut -d, -f1-5 rows.csv | tail -n +2)" = '0,"vector_add",v100-pcie,a100-80,heddle
0,"vector_add",v100-pcie,h100-pcie,heddle
0,"vector_add",v100-pcie,rtx3090,heddle' ] || wrong "the CSV's rows: $(cat rows.csv)"
centre=$(jq '.kernels[0].targets["a100-80"].centre_us' heddle.json)
[ "$(awk -F, '$4 == "a100-80" {print $8}' rows.csv)" = "$(printf %.6g "$centre")" ] ||
    wrong "CSV and JSON differ: $(cat rows.csv)"
for picture in intervals roofline-1-a100-80 roofline-1-h100-pcie roofline-1-rtx3090; do
    grep -q '</svg>' "pictures/$picture.svg" || wrong "no picture $picture"
done

# ---- a profile with the PTX in the program itself, which has no special operations. So more is
# known, and nothing else changes.
cat >table.csv <<'END'
name,time,ctas,cta_threads,registers,cta_shared,warp_instructions,thread_instructions,fp16_add,\
fp16_mul,fp16_fma,fp32_add,fp32_mul,fp32_fma,fp64_add,fp64_mul,fp64_fma,tensor_fp16,tensor_fp64,\
l1_bytes,shared_bytes,shared_passes,l2_bytes,dram_read,dram_write
vector_add(float const*),25,5860,256,16,0,7.5e5,2.4e7,0,0,0,1.5e6,0,0,0,0,0,0,0,1.8e7,0,0,1.8e7,\
1.2e7,6e6
END
sed -i ':a;/\\$/{N;s/\\\n//;ba}' table.csv
"$heddle" project --from v100 --to a100-80 --json table.csv >without.json
"$heddle" project --from v100 --to a100-80 --ptx "$program" --json table.csv >with.json 2>said ||
    wrong "--ptx: exit status $?: $(cat said)"
[ ! -s said ] || wrong "--ptx: $(cat said)"
jq -e --slurpfile without without.json '.kernels[0].targets["a100-80"] as $with |
    $without[0].kernels[0].targets["a100-80"] | $with.centre_us == .centre_us and
    ($with.confidence * 0.95 - .confidence | fabs) < 1e-9' with.json >/dev/null ||
    wrong "--ptx does not make more known: $(cat with.json)"

# ---- a real profile, and the capabilities that --measure --native wrote on the same GPU
"$heddle" project --from "$h100/capability.ini" --to h200 --json "$h100/ncu_reduce_raw.csv" \
    >real.json 2>said || wrong "a profile of an H100: exit status $?: $(cat said)"
jq -e '.kernels | length == 1 and .[0].measured_us == 4.832 and
    .[0].name == "reduce(const int *, int *, int)" and
    .[0].targets.h200.operations == "instructions"' real.json >/dev/null ||
    wrong "a profile of an H100: $(cat real.json)"

# ---- terms: each can be left out, is in the help, and does something here; but isa and atomics,
# since the program has no special operations (system.special has) and no atomics (system.seed has)
"$heddle" project --help-all | tr -s ' \n' ' ' >help
terms=$(sed -n 's/^TERM([A-Z]*, "\([a-z]*\)".*/\1/p' "$table")
[ "$(echo "$terms" | wc -w)" = "$(grep -c '^TERM(' "$table")" ] || wrong "terms: $terms"
for term in $terms; do
    grep -q -- "--without TERM.*One of: [a-z, ]*\b$term\b" help || wrong "$term is not in the help"
    "$heddle" project --to $targets --without "$term" --json run >without.json 2>said ||
        wrong "--without $term: $(cat said)"
    if [ "$term" != isa ] && [ "$term" != atomics ]; then
        cmp -s without.json heddle.json && wrong "$term does nothing"
    fi
done
"$heddle" project --to $targets --without "$(echo $terms | tr ' ' ,)" --json run >/dev/null ||
    wrong "no term at all is not accepted"
exit $failed
