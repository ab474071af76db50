# report.sh - sourced: report.json of `heddle run` as text, to compare runs.

# What tells of the host, as paths of jq: ".run.wall_s, .kernels[]?.wall_s, ..."
host_members=$(sed -n 's/^HOST_MEMBER("\([^"]*\)".*/.\1/p' \
    "$(dirname "${BASH_SOURCE[0]}")/../../host/tables/host_members.def" |
    sed 's/\[\]/[]?/g' | paste -sd,)

# plain_report DIR: prints the report, but for what tells of the host (tables/host_members.def) and
# the statistics of the simulation itself, one value per line, for a readable diff: it must be equal
# wherever the timing core runs. Not every core says what instructions do in time
# (instructions_file.issues): timed_instructions has it.
plain_report() {
    jq -r "del($host_members)"'
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
