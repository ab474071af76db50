#!/usr/bin/env bash
# monitor_port.sh used|privileged HEDDLE DIRECTORY - `heddle run --monitor` with a port at which
# another program listens, or that needs a privilege which this one lacks: the exact message.
set -u
which=$1 heddle=$2 here=$3
. "$(dirname "$0")/../../support/need.sh"
need python3 python3
need setpriv util-linux
rm -rf "$here"
mkdir -p "$here"
cd "$here" || exit 1
before=()
if [ "$which" = used ]; then
    python3 -c '
import socket, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
print(s.getsockname()[1], flush=True)
time.sleep(30)' >port &
    other=$!
    trap 'kill $other 2>/dev/null' EXIT
    for _ in $(seq 100); do [ -s port ] && break; sleep 0.05; done
    port=$(cat port)
    why="Address already in use; another program listens there: name another port, or 0 for one"
    why+=" that is free"
else
    port=81
    [ "$(cat /proc/sys/net/ipv4/ip_unprivileged_port_start)" -gt $port ] ||
        { echo "skipped: no port needs a privilege here"; exit 77; }
    why="Permission denied; ports below 1024 need a privilege: name one above, or 0 for one that is"
    why+=" free"
    [ "$(id -u)" != 0 ] || before=(setpriv --inh-caps=-net_bind_service
        --bounding-set=-net_bind_service)
fi
status=0
"${before[@]}" "$heddle" run --monitor "$port" --out out --timing none -- /bin/true 2>said ||
    status=$?
[ $status = 125 ] || { echo "status $status"; cat said; exit 1; }
echo "heddle: error: --monitor $port: cannot listen at 127.0.0.1:$port: $why" | diff - said
