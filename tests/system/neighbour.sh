#!/usr/bin/env bash
# neighbour.sh HEDDLE NEIGHBOUR PTX DIRECTORY HOW ... - a program's calls succeed, and in time,
# beside a hostile program of the same run (programs/neighbour.c), for each HOW in turn. `user`: a
# process of another user is turned away, and the run goes on. bench/neighbour.sh measures.
set -u
heddle=$1 neighbour=$2 ptx=$3 here=$4
shift 4
rm -rf "$here"
mkdir -p "$here"
cd "$here" || exit 1
failures=0
wrong() { echo "neighbour.sh: $how: $*"; cat said log; failures=$((failures + 1)); }

cat >both.sh <<'END_OF_BOTH'
"$1" "$2" "$3" >other &
other=$!
for i in $(seq 100); do [ -s other ] && break; sleep 0.02; done
sleep 0.2
"$1" victim "$3" 20
status=$?
kill -KILL $other
exit $status
END_OF_BOTH
for how; do
    rm -f other said log
    if [ "$how" = user ]; then
        as=(setpriv --reuid 65534 --clear-groups)
        "${as[@]}" test -x "$neighbour" -a -r "$ptx" 2>/dev/null ||
            { echo "skipped: no other user can run the program"; exit 77; }
        timeout 60 "$heddle" run -q --timing none --out out -- sh -c \
            '"$@" && exit 1; "$0" "$6" "$7" "$8"' "$neighbour" "${as[@]}" "$neighbour" \
            victim "$ptx" 5 >said 2>log || wrong "status $?"
        grep -q 'cudaErrorNoDevice' said || wrong "another user was not turned away"
        grep -q '^heddle: error: the simulator closed the connection at once' log ||
            wrong "the other user is not told"
    else
        timeout 60 "$heddle" run -q --timing none --out out -- \
            bash both.sh "$neighbour" "$how" "$ptx" >said 2>log || wrong "status $?"
        [ -s other ] || wrong "the other program did not begin"
        awk '$1 == "victim" { good = $2 < 10 } END { exit !good }' said ||
            wrong "it took too long, or did not end"
        [ "$how" != stalls ] || grep -q 'did not answer for 0[.][0-9]* seconds, while others' log ||
            wrong "the stall is not told"
    fi
    grep -q '^victim ' said || wrong "the victim has no result"
    [ -s out/report.json ] || wrong "no report"
done
[ $failures = 0 ] && echo "neighbour: ok"
exit $((failures > 0))
