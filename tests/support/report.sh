# report.sh - sourced: report.json of `heddle run` as text, to compare runs.

# plain_report DIR: prints the parts of the report that must be equal wherever the timing core runs,
# one value per line, for a readable diff.
plain_report() {
    jq -r '{run: {exit_status: .run.exit_status,
                  warp_instructions: .run.warp_instructions,
                  ptx_warp_instructions: .run.ptx_warp_instructions},
            kernels: [.kernels[] | del(.wall_s)],
            statistics: [.statistics[] | select(.scope != "simulation") | {name, value}],
            cuda_calls: .cuda_calls}
           | paths(scalars) as $p
           | ($p | map(tostring) | join(".")) + " = " + (getpath($p) | tostring)' \
        "$1/report.json"
}
