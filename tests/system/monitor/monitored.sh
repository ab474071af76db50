# monitored.sh - sourced: runs with a monitor, for the tests beside it.
#
# Arguments of each test: HEDDLE APPS ENDLESS PTX DIRECTORY; ENDLESS is a program whose kernels of
# the file PTX do not end.
heddle=$1 apps=$2 endless=$3 ptx=$4 here=$5
. "$(dirname "$0")/../../support/need.sh"
need jq jq
need curl curl
rm -rf "$here"
mkdir -p "$here"
cd "$here" || exit 1
failures=0 run= address=
trap '[ -z "$run" ] || kill -KILL $run 2>/dev/null' EXIT
wrong() { echo "$(basename "$0"): $*"; failures=$((failures + 1)); }

# monitored OUT OPTIONS ... -- PROGRAM ...: begins the run, with process $run and monitor $address
monitored() {
    local out=$1
    shift
    "$heddle" run -q --monitor 0 --out "$out" "$@" >"$out.log" 2>&1 &
    run=$!
    for _ in $(seq 200); do
        address=$(sed -n 's/^heddle: monitor: //p' "$out.log" 2>/dev/null)
        [ -z "$address" ] || return 0
        sleep 0.05
    done
    wrong "no address: $(cat "$out.log")"
    exit 1
}
# get NAME [FILTER]; post NAME
get() { curl -sS -m 10 "$address$1" | jq -c "${2:-.}"; }
post() { curl -sS -m 10 -X POST "$address$1"; }
# until_is NAME FILTER: waits until the filter is true of the answer
until_is() {
    for _ in $(seq 200); do
        get "$1" "$2" 2>/dev/null | grep -qx true && return 0
        sleep 0.05
    done
    wrong "$1 never became $2: $(get "$1")"
    return 1
}
# ended: waits for the end of the run; sets $status
ended() {
    status=0
    wait "$run" || status=$?
    run=
}
finish() { [ $failures = 0 ] && echo "$(basename "$0"): ok"; exit $((failures > 0)); }
