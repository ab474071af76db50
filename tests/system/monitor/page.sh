#!/usr/bin/env bash
# page.sh HEDDLE APPS ENDLESS PTX DIRECTORY - opens the page of a monitor in Chromium, while its run
# is at work, paused, and without timing: it shows what the monitor answers, and writes no message
# to the console.
set -u
. "$(dirname "$0")/monitored.sh"
. "$(dirname "$0")/../../support/browser.sh"
browser_begin "$here"
has() { grep -qF -- "$1" <<<"$page" || wrong "the page does not say: $1"; }
has_not() { ! grep -qF -- "$1" <<<"$page" || wrong "the page says: $1"; }
opened() {
    browser_open_address "$address" "${1:-}" || wrong "$(cat "$browser_dir/errors" | head -3)"
    has 'data-complete="yes"'
}

monitored rtl -- "$endless" "$ptx" plain 1
until_is status.json '.gpus[0].cpi.stall > 0'
opened
has '>running<'
has '<h2 id="title-sms">SMs</h2>'
has 'plain, launch 0'
has 'class="bar"'
has 'SM 79 of GPU 0'
has 'Choose an SM of the map.'
has 'CTAs on SMs'
busy=$(get sms.json '.gpus[0].warps | to_entries | max_by(.value).key')
post pause >/dev/null
until_is status.json '.state == "paused"'
opened "sm=0.$busy"
has '>paused<'
has "<h3>SM $busy of GPU 0</h3>"
has 'PTX line '
has_not 'Choose an SM'
kill -TERM $run
ended

monitored none --timing none -- "$endless" "$ptx" plain 1
until_is status.json '.kernel.name == "plain"'
opened
has '--timing none runs kernels without SMs'
has 'without cycles'
kill -TERM $run
ended

monitored nodes --nodes 2 --set sm.count=8 -- "$endless" "$ptx" plain 1
until_is sms.json 'all(.gpus[]; .warps | add > 0)'
opened
has 'GPU 1, node 1'
kill -TERM $run
ended
finish
