#!/usr/bin/env bash
# determinism.sh HEDDLE APPS NBA OUT quick|full|memory|p100|groups|overlap|outside|managed|NAME... -
# runs programs with the timing core in every placement (SM groups, threads, windows, packet
# buffers, run-ahead, random host delays, and another form of the core: library NBA, which is
# pipelined, or with `groups` has several pairs of engines) and compares all that must not depend on
# it: the program's output, and the whole report but for wall time, memory, the placement and the
# core's own clocks. Names the placement that differs, and the difference. All but the second
# placement write a timeline, which changes no result and is the same file in each.
set -euo pipefail
heddle=$1 apps=$2 nba=$3 out=$4
shift 4
. "$(dirname "$0")/../../support/need.sh"
need jq jq
. "$(dirname "$0")/../../support/report.sh"

# programs and arguments of the quick tier: they take seconds and have every kind of operation
quick=(
    "vector_add -n 20000"
    "reduce -n 40000"
    "atomics -n 8192"
    "histogram -n 16384"
    "divergence"
    "lu_decomposition -n 64"
    "hydro3d -s 3 -i 1"
    "sgemm_tiled -n 64"
    "pointer_chase -l 64"
    "litmus"
    "transport -n 300 -b 200"
    "docking -r 1 -p 6 -i 1 -l 2"
)
full=(
    vector_add vector_accumulate sgemm_tiled reduce atomics histogram lu_decomposition divergence
    pointer_chase litmus hydro1d hydro3d transport docking matrix_products
)

# Options that must change no result; the other placements are compared with the first.
placements_quick=(
    "--sm-groups 1 --threads 1"
    "--sm-groups 2 --threads 2"
    "--sm-groups 1 --threads 1 --set core.window=1 --set core.packets=4"
    "--sm-groups 2 --threads 1 --set core.window=5 --set core.scrub=500 \
--set test.host_delay_seed=7"
    "--backend $nba"
)
placements_full=(
    "--sm-groups 1 --threads 1"
    "--sm-groups 1 --threads 1"
    "--sm-groups 1 --threads 2"
    "--sm-groups 2 --threads 1"
    "--sm-groups 2 --threads 2"
    "--sm-groups 1 --threads 1 --set core.window=1"
    "--sm-groups 1 --threads 1 --set core.window=5"
    "--sm-groups 2 --threads 2 --set core.window=5"
    "--sm-groups 2 --threads 2 --set core.window=1"
    "--sm-groups 1 --threads 1 --set core.packets=4"
    "--sm-groups 1 --threads 1 --set core.packets=64 --set exec.run_ahead=64"
    "--sm-groups 2 --threads 2 --set core.packets=4 --set core.window=5"
    "--sm-groups 1 --threads 1 --set exec.run_ahead=1"
    "--sm-groups 1 --threads 1 --set exec.run_ahead=8"
    "--sm-groups 1 --threads 1 --set test.host_delay_seed=1"
    "--sm-groups 2 --threads 2 --set test.host_delay_seed=99 --set core.packets=4"
    "--backend $nba"
    "--backend $nba --sm-groups 2 --threads 2 --set core.window=5 --set test.host_delay_seed=5"
)

# For the memory model that reorders requests, with an L2 small enough to miss; and for SMs of two
# sub-cores, which have another emulation.
common=()
placements_one_backend=(
    "--sm-groups 1 --threads 1"
    "--sm-groups 2 --threads 2"
    "--sm-groups 1 --threads 1 --set core.window=1 --set core.packets=4"
    "--sm-groups 2 --threads 1 --set core.window=5 --set core.scrub=500 \
--set test.host_delay_seed=7"
    "--sm-groups 4 --threads 2 --set core.window=11"
)
case "${1:-quick}" in
    memory)
        programs=("vector_add -n 60000" "histogram -n 16384" "lu_decomposition -n 64"
                  "atomics -n 8192")
        placements=("${placements_one_backend[@]}")
        common=(--set dram.model=hbm --set l2.size=131072 --set sm.count=8)
        ;;
    outside) # memory of the host and of another GPU, beside copies
        programs=("outside")
        placements=("${placements_one_backend[@]:0:4}" "--backend $nba")
        common=(--devices 2 --set sm.count=16 --set peer.bandwidth=100)
        ;;
    managed) # managed memory that migrates, with an L2 that neither it nor a copy fits into
        programs=("managed")
        placements=("${placements_one_backend[@]:0:4}" "--backend $nba"
                    "--sm-groups 4 --threads 2 --set core.window=7")
        common=(--set sm.count=8 --set l2.size=131072)
        ;;
    overlap) # kernels that overlap, with a memory that misses
        programs=("overlap")
        placements=("--sm-groups 1 --threads 1" "--sm-groups 2 --threads 2"
                    "--sm-groups 4 --threads 1 --set core.window=11")
        common=(--set dram.model=hbm --set l2.size=131072)
        ;;
    p100)
        programs=("vector_add -n 60000" "reduce -n 40000" "divergence" "lu_decomposition -n 64"
                  "litmus")
        placements=("${placements_one_backend[@]}")
        common=(--gpu p100)
        ;;
    groups)
        programs=("vector_add -n 20000" "reduce -n 40000" "atomics -n 8192" "litmus")
        placements=("--sm-groups 1 --threads 1" "--backend $nba"
                    "--backend $nba --sm-groups 2 --threads 2 --set core.window=5")
        ;;
    quick) programs=("${quick[@]}") placements=("${placements_quick[@]}") ;;
    full) programs=("${full[@]}") placements=("${placements_full[@]}") ;;
    *) programs=("$@") placements=("${placements_full[@]}") ;;
esac

mkdir -p "$out"

failed=0 runs=0 acts=()
for entry in "${programs[@]}"; do
    read -r -a command <<<"$entry"
    name=${command[0]}
    # shellcheck disable=SC2206
    for i in "${!placements[@]}"; do
        options=(${placements[$i]})
        [ "$i" -eq 1 ] || options+=(--timeline)
        dir=$out/$name.$i
        rm -rf "$dir"
        status=0
        timeout 300 "$heddle" run --timing rtl "${common[@]}" "${options[@]}" --out "$dir" -- \
            "$apps/$name" "${command[@]:1}" >"$out/$name.$i.said" \
            2>"$out/$name.$i.errors" </dev/null || status=$?
        runs=$((runs + 1))
        # Keep the program's own lines only: Heddle's report goes to the terminal as well.
        grep "^$name: " "$out/$name.$i.said" >"$out/$name.$i.program" || {
            echo "$entry: says nothing with ${placements[$i]}"
            failed=$((failed + 1))
        }
        if [ ! -f "$dir/report.json" ]; then
            echo "$entry: no report with ${placements[$i]} (exit status $status):"
            tail -qn 3 "$out/$name.$i.errors"
            failed=$((failed + 1))
            continue
        fi
        plain_report "$dir" >"$dir/plain"
        timed_instructions "$dir" >"$dir/timed"
        [ "$status" -eq 0 ] || {
            echo "$entry: exit status $status with ${placements[$i]}"
            tail -qn 3 "$out/$name.$i.said" "$out/$name.$i.errors"
            failed=$((failed + 1))
        }
    done
    clocks=$(jq .run.core_clocks "$out/$name.0/report.json" 2>/dev/null || true)
    for i in "${!placements[@]}"; do
        [ "$i" -gt 0 ] && [ -f "$out/$name.$i/plain" ] && [ -f "$out/$name.0/plain" ] || continue
        if ! diff "$out/$name.0/plain" "$out/$name.$i/plain" >"$out/$name.$i.diff" ||
            ! diff "$out/$name.0.program" "$out/$name.$i.program" >>"$out/$name.$i.diff"; then
            values=$(grep -c '^>' "$out/$name.$i.diff" || true)
            echo "$entry: another result with ${placements[$i]} ($values values):"
            head -8 "$out/$name.$i.diff"
            failed=$((failed + 1))
        fi
        if [ -s "$out/$name.$i/timed" ] && ! cmp "$out/$name.0/timed" "$out/$name.$i/timed"; then
            echo "$entry: instructions have other times with ${placements[$i]}"
            failed=$((failed + 1))
        fi
        if [ "$i" -gt 1 ] && ! cmp "$out/$name.0/trace.json" "$out/$name.$i/trace.json"; then
            echo "$entry: another timeline with ${placements[$i]}"
            failed=$((failed + 1))
        fi
        [ "$clocks" = "$(jq .run.core_clocks "$out/$name.$i/report.json")" ] || acts[$i]=1
    done
done
# An option without effect would compare a run with itself. The core's own clocks show an effect.
# (Threads change nothing inside the core, nor does a packet buffer that a short program never
# fills.)
for i in "${!placements[@]}"; do
    [[ $i -eq 0 || -n ${acts[$i]:-} ||
        ${placements[$i]} =~ ^--sm-groups\ 1\ --threads\ [0-9]+$ ]] || {
        echo "${placements[$i]} changes nothing inside the core, with any program"
        failed=$((failed + 1))
    }
done
echo "$runs runs of ${#programs[@]} programs in ${#placements[@]} placements, $failed wrong"
[ "$failed" -eq 0 ]
