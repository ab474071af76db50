#!/usr/bin/env bash
# carveout.sh HEDDLE PROGRAM OUT - runs carveout.cu on a V100 of 4 SMs. An SM holds 32 CTAs of its
# kernel, so each of 256 bytes makes 8 KiB of shared memory, and L1 has what is left of 128 KiB
# (docs/timing-model.md, rule 18).
set -euo pipefail
heddle=$1 program=$2 out=$3
run() { "$heddle" run -q --gpu v100 --set sm.count=4 "$@" --out "$out" -- "$program"; }
want="shared 0: 128
shared 256: 120
shared 512: 112
shared 1024: 96
shared 2048: 64
shared 4096: 32
shared 49152: 32
percent 0: 128
percent 8: 120
percent 50: 64
percent 67: 32
percent 100: 32
percent -1: 128
percent 50, shared 4096: 32
preference 1, shared 4096: 32
preference 2, shared 4096: 120
preference 3, shared 4096: 64
of the device: 32
the same: beside
more on all SMs: behind
more on some SMs: beside
exact on all SMs: behind
exact, the same: beside"
diff <(run) <(echo "$want")
sizes=$(jq -c '[.kernels[].shared_config / 1024] | unique' "$out/report.json")
[ "$sizes" = "[0,8,16,32,64,96]" ] || { echo "shared_config: $sizes"; exit 1; }
diff <(run --sm-groups 2 --threads 2) <(echo "$want")
diff <(run --sm-groups 4) <(echo "$want")
# Without the rule, L1 always has its whole size.
diff <(run --set sm.carveout=max | sed -n '/^of the device/q; s/.*: //p' | sort -u) <(echo 128)
