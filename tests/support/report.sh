# report.sh - sourced: report.json of `heddle run` as text, to compare runs.

# plain_report DIR: prints the report, but for wall time, memory, the placement itself and the
# parameters that chose it, one value per line, for a readable diff: it must be equal wherever the
# timing core runs. Not every core says what instructions do in time (instructions_file.issues):
# timed_instructions has it.
plain_report() {
    jq -r 'del(.run | .wall_s, .startup_s, .simulate_s, .peak_rss_bytes, .warp_instructions_per_s,
                      .sm_groups, .threads, .core_clocks)
           | del(.kernels[].wall_s, .kernel_groups[].wall_s, .parameters)
           | del(.instructions_file | .issues, .crc32c)
           | .run.notes |= map(select(startswith("instructions.csv has no cycles") | not))
           | .statistics |= map(select(.scope != "simulation"))
           | paths(scalars) as $p
           | ($p | map(tostring) | join(".")) + " = " + (getpath($p) | tostring)' \
        "$1/report.json"
    cut -d, -f1-17 "$1/instructions.csv"
}

# timed_instructions DIR: prints the rest of instructions.csv, if the core has told it.
timed_instructions() {
    if [ "$(jq .instructions_file.issues "$1/report.json")" = true ]; then
        cut -d, -f18- "$1/instructions.csv"
    fi
}
