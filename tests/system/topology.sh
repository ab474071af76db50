#!/usr/bin/env bash
# topology.sh HEDDLE PROGRAM - checks that --topology's picture has every component and every join,
# with the values of the configuration, with and without a program, and that it is well-formed XML.
set -euo pipefail
heddle=$1 program=$2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
wrong() { echo "$*"; failed=1; }
expect() { # COUNT PATTERN
    local found
    found=$(grep -o -- "$2" "$out/node.svg" | wc -l)
    [ "$found" = "$1" ] || wrong "$found times '$2', expected $1 times"
}

# fits: no text of a box is wider than its box, at 6.4 pixels a letter, and no figure has more than
# four digits behind a point
fits() {
    sed 's/&[a-z]*;/x/g' "$out/node.svg" | awk -v FS='"' '
        /^<rect class="(component|network)"/ { left = $4; right = $4 + $8; boxes++ }
        /^<text x="[0-9]*" y="[0-9]*"( textLength|>)/ {
            text = $0
            sub(/^[^>]*>/, "", text)
            sub(/<.*/, "", text)
            width = $0 ~ / textLength="/ ? $6 : length(text) * 6.4
            if ($2 >= left && $2 + width > right) print "beyond its box: " text
            texts++
        }
        END { if (boxes < 4 || texts < boxes) print boxes " boxes, " texts " texts" }' \
        >"$out/beyond"
    [ ! -s "$out/beyond" ] || wrong "$1: $(cat "$out/beyond")"
    ! grep -oE '[0-9]+\.[0-9]{5,}' "$out/node.svg" >"$out/digits" ||
        wrong "$1: $(cat "$out/digits")"
}

"$heddle" run --devices 2 --sm-groups 3 --threads 2 --topology "$out/node.svg" \
    --set gpu.name='A<B&C' --set sm.count=10 --set link.latency=5us --set l2.slices=48 \
    --set dram.channels=24 --set launch.constant=77 || wrong "no picture"
expect 11 '<rect class="component"' # two GPUs of three groups, memory and scheduler; the CPU
expect 2 '<rect class="gpu"'
expect 2 '<line class="link"'
# per GPU 3 to memory, 3 to the scheduler, 3 between groups, 1 between memory and scheduler
expect 20 '<polyline class="join"'
fits "two GPUs"
expect 2 'SM group 0: 4 SMs, thread 0'
expect 2 'SM group 1: 3 SMs, thread 1'
expect 6 '16 slices of L2, 128 KiB each, hit 60 cycles'
expect 2 '>5000 ns, 16 GB/s each way'
expect 2 'in 24 channels'
expect 2 'a launch: 77 cycles'
expect 1 'GPU 1: A&lt;B&amp;C<'
expect 6 '<title>GPU scheduler 4 - SM group [0-2]: 46.376 ns</title>'
if command -v xmllint >/dev/null; then
    xmllint --noout "$out/node.svg" || wrong "not well formed"
fi

# several nodes: a CPU, a GPU, a command processor and a NIC each, and one network
"$heddle" run --nodes 3 --sm-groups 1 --set sm.count=4 --set-node host.latency=777 \
    --set-node link.latency=432 --set-node cp.threads=3 --topology "$out/node.svg" ||
    wrong "no picture of nodes"
fits "nodes"
# an SM group, memory, the scheduler, CPU, command processor and NIC of each
expect 18 '<rect class="component"'
expect 3 '<text class="node".*>Node [0-2]<'
expect 3 'Command processor: 3 service threads<'
expect 3 '>CPU - NIC: 777 ns<'
expect 3 '>432 ns, [0-9.]* GB/s each way<'
expect 3 '<title>command processor - NIC: doorbell 432 ns<'
# from each NIC to GPU, CPU and network, from each command processor to GPU and NIC
expect 15 '<polyline class="wire"'
expect 1 '>Network: star of 100 Gb/s<'
expect 1 '>node - switch 100 ns, 12.5 GB/s; a switch 0 ns<'
expect 1 '>star, packets of up to 4096 bytes, buffers of 65536<'
if command -v xmllint >/dev/null; then
    xmllint --noout "$out/node.svg" || wrong "nodes: not well formed"
fi
"$heddle" run --nodes 2 --devices 2 --sm-groups 1 --set sm.count=4 --design dgpu \
    --set-node cpu.link=650 --network mvapich-tukey --topology "$out/node.svg" ||
    wrong "no picture of nodes with two GPUs"
fits "nodes of two GPUs"
expect 4 '<rect class="gpu"'
expect 2 "service threads at [0-9]* MHz, 650 ns from the GPU's memory<"
! grep -q 'ommand processor' "$out/node.svg" || wrong "a command processor with --design dgpu"
expect 6 '<polyline class="wire"'
expect 1 '>LogGP<'

for gpu in a100-80 h200 p100; do
    "$heddle" run --gpu "$gpu" --sm-groups 1 --set clock.core=1234.5678 \
        --set dram.bandwidth=1234.5678 --set network.clock=777.77777 --topology "$out/node.svg" ||
        wrong "no picture of $gpu"
    fits "$gpu"
done

"$heddle" run -q --out "$out" --topology "$out/node.svg" -- "$program" -n 1000 \
    >"$out/said" 2>&1 ||
    wrong "the program did not run: $(cat "$out/said")"
grep -q 'vector_add: PASS' "$out/said" || wrong "no result"
expect 4 '<rect class="component"'

status=0
"$heddle" run --topology "$out/none/node.svg" -- "$program" >"$out/said" 2>&1 || status=$?
[ "$status" = 125 ] && grep -q "error: cannot write $out/none/node.svg: No such file" "$out/said" ||
    wrong "a picture that cannot be written: $status, $(cat "$out/said")"
exit $failed
