#!/usr/bin/env bash
# same.sh HEDDLE APPS OUT quick|full - runs programs on the timing core and on the reference model,
# and compares the whole reports: cycles and hashes of each kernel, all statistics, what each
# instruction did in time, and what the programs print.
set -euo pipefail
heddle=$1 apps=$2 out=$3 tier=$4
. "$(dirname "$0")/../../support/need.sh"
need jq jq
. "$(dirname "$0")/../../support/report.sh"

# options of heddle run | program and arguments
quick=(
    "--gpu v100|vector_add -n 20000"
    "--gpu v100|reduce -n 40000"
    "--gpu v100|atomics -n 8192"
    "--gpu v100|histogram -n 16384"
    "--gpu v100|divergence"
    "--gpu v100|lu_decomposition -n 64"
    "--gpu v100|hydro3d -s 3 -i 1"
    "--gpu v100|sgemm_tiled -n 64"
    "--gpu v100|pointer_chase -l 16"
    "--gpu v100|litmus message_passing lock_handover shared_flags named_barriers sleep"
    "--gpu v100 --set dram.model=hbm --set l2.size=131072 --set sm.count=8|vector_add -n 60000"
    "--gpu p100|divergence"
    "--gpu p100|lu_decomposition -n 64"
    "--gpu a100-40|vector_add -n 20000"
)
full=(
    "--gpu v100|vector_add" "--gpu v100|vector_accumulate" "--gpu v100|sgemm_tiled"
    "--gpu v100|reduce" "--gpu v100|atomics" "--gpu v100|histogram"
    "--gpu v100|lu_decomposition" "--gpu v100|pointer_chase" "--gpu v100|litmus"
    "--gpu v100|hydro1d" "--gpu v100|hydro3d" "--gpu v100|transport" "--gpu v100|docking"
    "--gpu v100|matrix_products"
    "--gpu v100 --set dram.model=hbm --set l2.size=131072 --set sm.count=8|histogram -n 16384"
    "--gpu v100 --set sm.scheduler=lrr|sgemm_tiled -n 64"
    "--gpu v100 --set sm.scheduler=gto|sgemm_tiled -n 64"
    "--gpu p100|vector_add" "--gpu p100|reduce -n 40000" "--gpu p100|litmus"
    "--gpu a100-40|litmus" "--gpu a100-40|sgemm_tiled -n 64"
    "--gpu h100-sxm|reduce -n 40000" "--gpu h100-sxm|atomics -n 8192"
)
case $tier in
    quick) list=("${quick[@]}") ;;
    full) list=("${full[@]}") ;;
    *) echo "$tier: quick or full" && exit 2 ;;
esac

# one TIMING OPTIONS COMMAND: a run; its results in $out/TIMING
one() {
    local dir=$out/$1 status=0
    rm -rf "$dir"
    # shellcheck disable=SC2086
    "$heddle" run -q --timing "$1" --sm-groups 1 $2 --out "$dir" -- "$apps/"$3 \
        >"$out/said" 2>"$out/errors" </dev/null || status=$?
    if [ "$status" -ne 0 ] || [ "$(jq -r .run.timing "$dir/report.json")" != "$1" ]; then
        echo "--timing $1 $2 $3: exit status $status"
        tail -n 3 "$out/said" "$out/errors"
        return 1
    fi
    plain_report "$dir" | grep -v '^run\.timing = ' >"$dir/plain"
    timed_instructions "$dir" >"$dir/timed"
    mv "$out/said" "$dir/said"
}

mkdir -p "$out"
failed=0
for entry in "${list[@]}"; do
    options=${entry%%|*} command=${entry#*|}
    if ! one rtl "$options" "$command" || ! one reference "$options" "$command"; then
        failed=$((failed + 1))
        continue
    fi
    [ -s "$out/rtl/timed" ] && grep -q 'issue_hash' "$out/rtl/plain" || {
        echo "$entry: the report has nothing to compare"
        failed=$((failed + 1))
    }
    for part in plain timed said; do
        if ! diff "$out/rtl/$part" "$out/reference/$part" >"$out/diff"; then
            echo "$entry: the reference model differs ($part, $(grep -c '^>' "$out/diff") lines):"
            head -6 "$out/diff"
            failed=$((failed + 1))
        fi
    done
done
echo "${#list[@]} programs on both, $failed differences"
[ "$failed" -eq 0 ]
