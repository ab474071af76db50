#!/usr/bin/env bash
# golden.sh HEDDLE APPS GPU FILE - compares the cycles of programs on a GPU with FILE (golden.csv),
# which is edited by hand only: a difference is either a bug or a change of the model, whose commit
# says why. The programs must be built with clang 14; another compiler makes other PTX.
set -euo pipefail
heddle=$1 apps=$2 gpu=$3 file=$4
. "$(dirname "$0")/../../support/need.sh"
need jq jq
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0 rows=0
while IFS=, read -r command cycles; do
    [[ $command == \#* || -z $command ]] && continue
    rows=$((rows + 1))
    read -r -a words <<<"$command"
    if ! "$heddle" run -q --gpu "$gpu" --out "$out" -- "$apps/${words[0]}" "${words[@]:1}" \
        >"$out/said" 2>&1 </dev/null; then
        echo "$command: failed:"
        tail -3 "$out/said"
        failed=$((failed + 1))
        continue
    fi
    now=$(jq '[.kernels[].cycles] | add' "$out/report.json")
    if [ "$now" != "$cycles" ]; then
        echo "$command,$now   (golden: $cycles)"
        failed=$((failed + 1))
    fi
done <"$file"
echo "$rows programs, $failed of them differ from $file"
[ "$rows" -gt 0 ] && [ "$failed" -eq 0 ]
