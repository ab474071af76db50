#!/usr/bin/env bash
# compnet.sh HEDDLE DIRECTORY APPS - `heddle compnet --quick`: the claims that hold go on holding,
# the others are those that docs/compnet.md explains, and the status says so.
set -euo pipefail
heddle=$1 out=$2 apps=$3
. "$(dirname "$0")/../../support/need.sh"
need jq jq
rm -rf "$out"
mkdir -p "$out"
status=0
"$heddle" compnet --quick --quiet --json --apps "$apps" --out "$out" >"$out/all.json" || status=$?
claim() {
    jq -r --arg id "$1" '.claims[] | select(.id == $id) | .holds' "$out/all.json"
}
failures=0
expect() {
    local holds=$1 id
    shift
    for id in "$@"; do
        [ "$(claim "$id")" = "$holds" ] && continue
        echo "claim $id: not $holds"
        failures=$((failures + 1))
    done
}
expect true C1 C2 C4a C4a-gap "C4a'-min" C7a C7b C7c C7d C7e C8a1 C8a2 C8a3 C8a3-slope C8b1 C8c-apu
expect true C9-1 C10-1 C10-2-dgpu C10-2-kernel C10-2-apu C11-2-order C11-3 C12 C12-11
expect true C4b
expect false C4b-all C8a1-host C8b2 C8c-dgpu C11-1 C11-2-an4 C11-2-cifar
expect null "C4a'-max" C9-2 C9-3 C10-2 C10-3 C10e
[ "$status" = 1 ] || {
    echo "status $status with hard claims that fail"
    failures=$((failures + 1))
}
# Figure 11: in the design in which a share of time was taken, reducing takes that share.
jq -e '(.figures[] | select(.file == "figure11-iteration.svg")) as $all
    | (.figures[] | select(.file == "figure11-reducing.svg")) as $reducing
    | [.inputs[] | select(.what | startswith("share of time reducing")) | .value] as $shares
    | ($shares | length) == 5 and ([range(5) as $w
        | $reducing.series.cpu[$w][1] / $all.series.cpu[$w][1] / $shares[$w]
        | . > 0.999 and . < 1.001] | all)' "$out/all.json" >/dev/null || {
    echo "Figure 11: a share of time is not as declared"
    failures=$((failures + 1))
}
for picture in 4a 4b 7 8a 8b 8c 9 10a 10b 10-small 11 11-iteration 11-reducing; do
    grep -q '</svg>' "$out/figure$picture.svg" || {
        echo "figure$picture.svg is missing or not whole"
        failures=$((failures + 1))
    }
done
[ $failures = 0 ] || jq -c '.claims[]' "$out/all.json"
exit $failures
