#!/usr/bin/env bash
# rerun.sh HEDDLE PROGRAM OUT - checks what a report says that its run was made from, and `heddle
# rerun`: it tells the same results from different ones, and says first what has changed.
set -euo pipefail
heddle=$1 program=$2 out=$3
. "$(dirname "$0")/../../support/need.sh"
need jq jq
rm -rf "$out"
mkdir -p "$out/elsewhere"
cd "$out"
failed=0
wrong() { echo "$*"; failed=1; }
status=0
prefix=$(dirname "$(dirname "$(readlink -f "$heddle")")")

# again STATUS ARGUMENTS...: `heddle rerun`, with output in `said` and errors in `errors`.
again() {
    local want=$1
    status=0
    shift
    "$heddle" rerun -q "$@" >said 2>errors </dev/null || status=$?
    [ "$status" = "$want" ] || wrong "rerun $*: exit status $status, not $want: $(cat said errors)"
}

# ---- what the report says
cp "$program" my_program
printf 'base = v100\n[launch]\nconstant = 2000 ; cycles | guessed | a test\n' >my.ini
HEDDLE_PROCESSORS=1 "$heddle" run -q --gpu my.ini --set sm.count=8 --set clock.core=1.2GHz \
    --set l2.size=6291456 --topology t.svg --out run -- ./my_program -n 3000 >/dev/null 2>said
jq -e --arg here "$PWD" --arg sum "$(sha256sum my_program | cut -d' ' -f1)" \
    --arg gpu "$(sha256sum my.ini | cut -d' ' -f1)" '
    .inputs.program == "./my_program" and .inputs.program_sha256 == $sum and
    .inputs.arguments == ["-n", "3000"] and .inputs.gpu == "my.ini" and
    .inputs.options == ["--gpu=my.ini", "--set=sm.count=8", "--set=clock.core=1.2GHz",
        "--set=l2.size=6291456", "--topology=t.svg", "--quiet"] and
    .inputs.environment.HEDDLE_PROCESSORS == "1" and
    (.inputs.files[] | select(.file == "my.ini").sha256) == $gpu and
    (.inputs.files | map(.file) |
        contains(["share/heddle/memory/hbm2.ini", "share/heddle/gpus/v100.ini"])) and
    (.inputs.parameters | keys) == ["clock.core", "sm.count"] and
    .inputs.parameters["sm.count"] == {value: 8, gpu_file: 80} and
    .inputs.heddle.core == "lib/libheddle_swemu.so" and
    (.inputs.heddle.revision | length) > 6 and .host.directory == $here and
    (.host.date | test("^20[0-9-]+T[0-9:]+Z$"))' run/report.json >/dev/null ||
    wrong "inputs: $(jq -c '.inputs, .host' run/report.json)"

# ---- the same again, from another directory, on more processors
cd elsewhere
HEDDLE_PROCESSORS=2 again 0 ../run
grep -q '^same: [0-9]* members of report.json, [1-9] other files$' said || wrong "same: $(cat said)"
grep -q '^heddle: program, GPU.s files and Heddle are those of the run$' errors ||
    wrong "nothing has changed: $(cat errors)"
[ "$(jq -c .inputs.environment ../run.rerun/report.json)" = '{"HEDDLE_PROCESSORS":"1"}' ] ||
    wrong "the environment is not that of the run"
[ ! -e ../run.rerun/t.svg ] || wrong "a picture was drawn again"
cd ..

# ---- a result that is not the same is found, whatever it is
cp -r run.rerun tampered
jq '.kernels[0].cycles += 1 | del(.copies[0]) | .run.wall_s = 1e9 | .host.date = "never"' \
    run/report.json >tampered/report.json
echo x >>tampered/instructions.csv
again 1 --only-compare --json --out tampered run
jq -e '(.same | not) and .different_files == ["instructions.csv"] and
    ([.differences[].member] | map(select(startswith("copies") | not)) == ["kernels.0.cycles"]) and
    .different > 1 and (.differences[0] | .after - .before == 1)' said >/dev/null ||
    wrong "tampered: $(cat said)"

# ---- other arguments: other results, with the same options
again 1 --out other run -- ./my_program -n 5000
grep -q '^different: [1-9][0-9]* of [0-9]* members' said || wrong "another run: $(cat said)"
[ "$(jq -c .inputs.arguments other/report.json)" = '["-n","5000"]' ] || wrong "arguments"

# ---- what has changed is said before the run starts
printf 'more' >>my_program
echo '# a remark' >>my.ini
again 0 --out changed run
[ "$(grep -n '^heddle: changed since the run: program (' errors | cut -d: -f1)" = 1 ] ||
    wrong "the program's change is not said first: $(cat errors)"
grep -q '^heddle: changed since the run: my.ini (' errors || wrong "the GPU: $(cat errors)"
sed -i 's/^constant = 2000/constant = 3000/' my.ini
again 1 --json --out changed run
jq -e '[.changed[].what] == ["program", "my.ini"] and (.same | not)' said >/dev/null ||
    wrong "changed: $(cat said)"

# ---- checkpoints are part of what is timed, and go beside the new report
"$heddle" run -q --set sm.count=8 --checkpoint points --every 1 --out kept -- "$program" -n 3000 \
    >/dev/null 2>errors
again 0 kept
[ -d kept.rerun.checkpoints ] || wrong "no checkpoints: $(ls)"
"$heddle" run -q --set sm.count=8 --resume points --out resumed -- "$program" -n 3000 \
    >/dev/null 2>errors
again 125 resumed
grep -q "was resumed from a checkpoint (--resume=points): its beginning is another run's" errors ||
    wrong "resumed: $(cat errors)"

# ---- arguments are bytes
LC_ALL=C "$heddle" run -q --timing none --out bytes -- "$program" -n 3000 $'\xff' >/dev/null \
    2>errors || true
if [ -f bytes/report.json ]; then
    jq -e '.inputs.arguments[2].base64 == "/w=="' bytes/report.json >/dev/null ||
        wrong "bytes: $(jq -c .inputs.arguments bytes/report.json)"
fi

# ---- reports that cannot be run again
mkdir old
jq 'del(.inputs)' run/report.json >old/report.json
again 125 old
grep -q 'does not say what the run was made from: it is of an older Heddle' errors ||
    wrong "old: $(cat errors)"
exit $failed
