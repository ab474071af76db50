#!/usr/bin/env bash
# holds.sh HEDDLE APPS ENDLESS PTX DIRECTORY - pausing, stepping and snapshots: results are those of
# a run without a monitor, time stands still in a pause, and a paused run can be stopped.
set -um # -m: commands in the background do not ignore SIGINT
. "$(dirname "$0")/monitored.sh"
. "$(dirname "$0")/../../support/report.sh"

# ---- the same results, polled, stepped and paused, with timing and without
for timing in rtl reference none; do
    program=("$apps/lu_decomposition" -n "$([ $timing = none ] && echo 1024 || echo 128)")
    "$heddle" run -q --timing $timing --out "off_$timing" -- "${program[@]}" >off.out 2>off.log ||
        wrong "$timing: $(cat off.log)"
    monitored "on_$timing" --timing $timing -- "${program[@]}"
    post step >/dev/null
    until_is status.json '.state == "paused"'
    before=$(get status.json .launches_ended)
    for _ in 1 2 3; do
        post step >/dev/null
        until_is status.json '.state == "paused" and .launches_ended > '"$before" || break
        [ "$(get status.json .launches_ended)" = $((before + 1)) ] ||
            wrong "$timing: a step from $before to $(get status.json .launches_ended) launches"
        before=$(get status.json .launches_ended)
        get sms.json >/dev/null
        get 'warps.json?sm=0' >/dev/null
    done
    sleep 0.3
    [ "$(get status.json .launches_ended)" = "$before" ] || wrong "$timing: a paused run goes on"
    file=$(post snapshot | jq -r .file)
    [ "$file" = "on_$timing/snapshot-1.json" ] || wrong "$timing: the snapshot: $file"
    [ "$(jq '[.kernel_groups[].launches] | add' "$file")" = "$before" ] ||
        wrong "$timing: the snapshot has other launches"
    jq -e '.run.ended == "a snapshot: the run goes on"' "$file" >/dev/null || wrong "$timing: $file"
    "$heddle" report -o snapshot.html "$file" 2>said || wrong "$timing: $(cat said)"
    post continue >/dev/null
    while curl -s -m 5 "${address}status.json" >/dev/null && curl -s -m 5 "${address}sms.json" \
        >/dev/null; do sleep 0.1; done
    ended
    [ $status = 0 ] || wrong "$timing: status $status: $(cat "on_$timing.log")"
    diff <(plain_report "off_$timing") <(plain_report "on_$timing") >different ||
        wrong "$timing: the report differs: $(head -5 different)"
    for file in kernels.csv cpi_stack.csv instructions.csv; do
        cmp -s "off_$timing/$file" "on_$timing/$file" || [ $file = kernels.csv ] ||
            wrong "$timing: $file differs"
    done
    [ "$(jq -c '.inputs.options' "off_$timing/report.json")" = \
        "$(jq -c '.inputs.options | map(select(startswith("--monitor") | not))' \
            "on_$timing/report.json" | sed "s/on_$timing/off_$timing/")" ] ||
        wrong "$timing: other options"
    ! jq -e '.inputs.options | any(startswith("--monitor"))' "on_$timing/report.json" >/dev/null ||
        wrong "$timing: a rerun would have a monitor"
done

# ---- Ctrl-C while paused: the program dies, and the report says where its warps stood
for timing in rtl none; do
    monitored "stop_$timing" --timing $timing -- "$endless" "$ptx" plain 1
    until_is status.json '.kernel.name == "plain"'
    post pause >/dev/null
    until_is status.json '.state == "paused"'
    cycles=$(get status.json '.gpus[0].cycle')
    sleep 0.4
    [ "$(get status.json '.gpus[0].cycle')" = "$cycles" ] || wrong "$timing: a paused run goes on"
    kill -s INT -- -$run
    ended
    [ $status = 130 ] || wrong "$timing: Ctrl-C: status $status: $(cat "stop_$timing.log")"
    jq -e '.run.interrupted[0].name == "plain"' "stop_$timing/report.json" >/dev/null ||
        wrong "$timing: no report of the interrupted kernel"
done

# ---- a program that is killed while the run is paused ends it
monitored killed -- "$endless" "$ptx" plain 1
until_is status.json '.kernel.name == "plain"'
post pause >/dev/null
until_is status.json '.state == "paused"'
kill -KILL $(pgrep -P $run | head -1)
ended
[ $status = 137 ] || wrong "killed: status $status"

# ---- --timeout does not count a pause
monitored timeout --timeout 2 -- "$endless" "$ptx" plain 1
until_is status.json '.kernel.name == "plain"'
post pause >/dev/null
until_is status.json '.state == "paused"'
sleep 3
get status.json '.state == "paused" and .paused_s >= 2' | grep -qx true ||
    wrong "--timeout: the pause has ended: $(get status.json)"
post continue >/dev/null
ended
[ $status = 124 ] || wrong "--timeout: status $status"
finish
