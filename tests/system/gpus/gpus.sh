#!/usr/bin/env bash
# gpus.sh HEDDLE OUT - checks `heddle gpus` against the GPUs' files, `heddle config --json`, and the
# GPUs that `heddle config new` writes: at most 20 lines, valid, with the figures given.
set -euo pipefail
heddle=$1 out=$2
models=$(cd "$(dirname "$0")/../../../models" && pwd)
. "$(dirname "$0")/../../support/need.sh"
need jq jq
rm -rf "$out"
mkdir -p "$out"
cd "$out"
failed=0
wrong() { echo "$*"; failed=1; }

# ---- the list
"$heddle" gpus >table
"$heddle" gpus --json >list.json
files=$(cd "$models/gpus" && printf '%s\n' *.ini | sed 's/\.ini$//' | LC_ALL=C sort)
[ "$("$heddle" gpus --names)" = "$files" ] || wrong "names: $("$heddle" gpus --names)"
[ "$(jq -r '.[].name' list.json)" = "$files" ] || wrong "list.json: $(jq -c 'map(.name)' list.json)"
[ "$(wc -L <table)" -le 80 ] || wrong "the table is $(wc -L <table) columns wide"
for gpu in $files; do
    grep -q "^$gpu  *[0-9]" table || wrong "$gpu is not in the table"
    "$heddle" config --gpu "$gpu" --json >config.json
    jq -e --arg gpu "$gpu" --slurpfile c config.json '.[] | select(.name == $gpu) | . as $g |
        $c[0].parameters as $p | $g.sms == $p["sm.count"].value and
        $g.clock_mhz == $p["clock.core"].value and $g.l2_bytes == $p["l2.size"].value and
        $g.memory_bytes == $p["dram.size"].value and
        $g.read_gb_per_s == $p["dram.bandwidth"].value and
        $g.compute_capability == [$p["gpu.compute_major"].value, $p["gpu.compute_minor"].value] and
        ([$p[] | select(.status == "vendor")] | length) == $g.parameters.vendor and
        ([$p[] | select(.status == "guessed")] | length) == $g.parameters.guessed and
        ([$p[] | select(.status != "")] | length) == ($g.parameters | add)' list.json >/dev/null ||
        wrong "$gpu: $(jq -c --arg gpu "$gpu" '.[] | select(.name == $gpu)' list.json)"
done

# value KEY: of the GPU in new.ini
value() {
    "$heddle" config --gpu ./new.ini --json | jq -r --arg key "$1" '.parameters[$key].value'
}
# has KEY VALUE
has() {
    [ "$(value "$1")" = "$2" ] || wrong "$1 is $(value "$1"), not $2: $(cat new.ini)"
}

# ---- a GPU described by its main figures
"$heddle" config new big --base a100-40 --sms 120 --clock 1.2GHz --l2 41MB --memory hbm3 \
    --memory-size 64GiB --title "Big GPU" --out new.ini 2>said || wrong "config new: $(cat said)"
[ "$(cat said)" = "heddle: written: new.ini, for --gpu new.ini" ] || wrong "said: $(cat said)"
[ "$(wc -l <new.ini)" -le 20 ] || wrong "new.ini has $(wc -l <new.ini) lines"
has sm.count 120
has clock.core 1200
has gpu.name "Big GPU"
has dram.size 68719476736
has dram.preset hbm3
has hbm.clock 1600
# L2 in whole sets: 80 slices of 16 ways and 128 bytes are 163,840 bytes
has l2.size 40960000
# L2's clock by that of the SMs, as on an A100
[ "$(jq -n "$(value network.clock) * 1410 / 1200 - $("$heddle" config --gpu a100-40 --json |
    jq '.parameters["network.clock"].value') | fabs < 1e-6")" = true ] || wrong "network.clock"
jq -en "$(value dram.bandwidth) > 1510 * 1.2 and $(value dram.write_bandwidth) > 1510" >/dev/null ||
    wrong "bandwidths: $(value dram.bandwidth) $(value dram.write_bandwidth)"
has sm.warps 64

# ---- figures alone; the default base; a file is replaced when that is asked for
"$heddle" config new big --bandwidth 0.44TB/s --out new.ini --force 2>/dev/null
has dram.bandwidth 440
has dram.write_bandwidth 447.5
has sm.count 80
[ "$(grep -c . new.ini)" -le 8 ] || wrong "more lines than figures: $(cat new.ini)"
exit $failed
