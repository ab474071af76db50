# report.sh - sourced: report.json of `heddle run` as text, to compare runs.

# What tells of the host, as paths of jq: ".run.wall_s, .kernels[]?.wall_s, ..."
host_members=$(sed -n 's/^HOST_MEMBER("\([^"]*\)".*/.\1/p' \
    "$(dirname "${BASH_SOURCE[0]}")/../../host/tables/host_members.def" |
    sed 's/\[\]/[]?/g' | paste -sd,)

# plain_report DIR: prints the report, but for what tells of the host (tables/host_members.def) and
# the statistics of the simulation itself, one value per line, for a readable diff: it must be equal
# wherever the timing core runs.
plain_report() {
    jq -r "del($host_members)"'
           | .statistics |= map(select(.scope != "simulation"))
           | paths(scalars) as $p
           | ($p | map(tostring) | join(".")) + " = " + (getpath($p) | tostring)' \
        "$1/report.json"
}
