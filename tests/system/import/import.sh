#!/usr/bin/env bash
# import.sh HEDDLE - checks `heddle config import`: it converts the seed publication's table 2 into
# v100-seed, in every value but the name; it names unknown keys and keeps them.
set -euo pipefail
heddle=$1
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
wrong() { echo "$*"; failed=1; }
values() { # GPU: its parameters but the name
    "$heddle" config --gpu "$1" | sed -n 's/^\([^ #]*\) *= \([^;]*\);.*/\1 \2/p' |
        grep -v '^gpu.name '
}

"$heddle" config import "$here/table2.cfg" >"$out/imported.ini" || wrong "not imported"
values "$out/imported.ini" >"$out/imported"
values v100-seed >"$out/seed"
[ "$(wc -l <"$out/seed")" -gt 100 ] || wrong "no values"
diff "$out/imported" "$out/seed" || wrong "not the values of v100-seed"
for key in '\[CPU\] clock = 2660MHz' '\[ariel\] executable = ./vectorAdd' \
    '\[GPU\] num_sm_blobs = 1' '\[GPUNetwork\] input_ports = 2'; do
    grep -q "^# $key: " "$out/imported.ini" || wrong "lost: $key"
done

# ---- an unknown key is named and kept, and the exit status is 1
printf '[GPU]\ngpu_cores: 40 qpu_l2_parts: 16\n' >"$out/other.cfg"
status=0
"$heddle" config import "$out/other.cfg" >"$out/other.ini" 2>"$out/said" || status=$?
[ "$status" = 1 ] || wrong "exit status $status"
grep -qx "$out/other.cfg:2: \[GPU\] qpu_l2_parts is not known to Heddle, kept as a comment" \
    "$out/said" || wrong "not named: $(cat "$out/said")"
grep -qx '# \[GPU\] qpu_l2_parts = 16: not known to Heddle' "$out/other.ini" || wrong "not kept"
values "$out/other.ini" >"$out/other"
grep -q '^sm.count 40' "$out/other" || wrong "what is known was not taken"
exit $failed
