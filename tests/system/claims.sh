#!/usr/bin/env bash
# claims.sh HEDDLE DEVICE_CODE PTX OUT - runs that begin while another one writes into the same
# directory: each report is of one run, and what cannot be is said.
set -u
heddle=$1 device_code=$2 ptx=$3 here=$4 failed=0
rm -rf "$here"
mkdir -p "$here"
cd "$here" || exit 1
run() { "$heddle" run -q --timing none "$@"; }
ends() { "$device_code" "$ptx" store 1 1 >/dev/null; }
# holds FIFO: the program of a run that goes on until the FIFO is opened
cat >holds.sh <<'END_OF_HOLDS'
"$device_code" "$ptx" store 1 1 >/dev/null
touch "$1.begun"
read -r _ <"$1"
END_OF_HOLDS
export device_code ptx
mkfifo end
begun() {
    for i in $(seq 200); do
        [ -e end.begun ] && return
        sleep 0.05
    done
    echo "the first run does not begin"
    exit 1
}
expect() { # WHAT FILE TEXT
    grep -v "^heddle: CUDA calls" "$2" >said
    [ "$(cat said)" = "$3" ] && return
    printf '%s: said:\n%s\nexpected:\n%s\n' "$1" "$(cat said)" "$3"
    failed=1
}
status() { # WHAT GOT EXPECTED
    [ "$2" = "$3" ] || { echo "$1: status $2, expected $3"; failed=1; }
}

# ---- the default: the next name
run -- sh holds.sh end & first=$!
begun
run -- "$device_code" "$ptx" store 1 1 >/dev/null 2>log
status default $? 0
expect default log \
    "heddle: another run writes into heddle-out: the report of this one goes into heddle-out.2"
[ -s heddle-out.2/report.json ] || { echo "no report in heddle-out.2"; failed=1; }
[ ! -e heddle-out/report.json ] || { echo "the second run wrote into heddle-out"; failed=1; }
echo >end
wait $first
status first $? 0
[ -s heddle-out/report.json ] || { echo "no report in heddle-out"; failed=1; }

# ---- a directory that was named
rm -f end.begun
run --out named -- sh holds.sh end & first=$!
begun
run --out named -- "$device_code" "$ptx" store 1 1 >/dev/null 2>log
status named $? 125
expect named log \
    "heddle: error: another run writes into named: name another directory with --out"
echo >end
wait $first

# ---- checkpoints, and a report beside them
rm -f end.begun
"$heddle" run -q --checkpoint both --out both -- sh holds.sh end & first=$!
begun
"$heddle" run -q --resume both -- "$device_code" "$ptx" store 1 1 >/dev/null 2>log
status resume $? 125
expect resume log "heddle: error: --resume both: another run is at work in it"
"$heddle" run -q --checkpoint both -- "$device_code" "$ptx" store 1 1 >/dev/null 2>log
status checkpoint $? 125
expect checkpoint log "heddle: error: --checkpoint both: another run is at work in it"
echo >end
wait $first
status both $? 0
[ -s both/report.json ] || { echo "no report beside the checkpoints"; failed=1; }

# ---- sweeps
rm -f end.begun
mkdir swept
flock swept sh -c 'touch end.begun; read -r _ <end' & first=$!
begun
"$heddle" sweep --out swept --set sm.count=80 -- "$device_code" "$ptx" store 1 1 >/dev/null 2>log
status sweep $? 125
expect sweep log "heddle: error: another sweep is at work in swept"
echo >end
wait $first

# ---- a run that was killed gives its directory back
rm -f end.begun
"$heddle" run -q --timing none --out killed -- sh holds.sh end & first=$!
begun
kill -KILL $first
wait $first 2>/dev/null
run --out killed -- "$device_code" "$ptx" store 1 1 >/dev/null 2>log
status "after a kill" $? 0
echo >end # the program itself
exit $failed
