#!/usr/bin/env bash
# emulation.sh LIB COMMAND ... - runs the command if folder LIB has the emulation of the timing
# core, which a build of the host alone has not.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../support/need.sh"
[ -e "$1/libheddle_swemu.so" ] || missing "$1/libheddle_swemu.so" "a build of the timing core"
shift
exec "$@"
