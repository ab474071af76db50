#!/usr/bin/env bash
# pages.sh HEDDLE APPS DEVICES LAUNCHES - opens the pages of `heddle report` and `heddle compare` in
# Chromium: of runs that are timed, functional, on several GPUs (program DEVICES) and several nodes,
# and of many launches (program LAUNCHES). No page writes a message to the console or is larger than
# 2 MB; its scripts have shown what report.json says; it sorts and filters by the state in its
# address; hostile names stay texts.
set -euo pipefail
heddle=$(realpath "$1") apps=$(realpath "$2") devices=$(realpath "$3") launches=$(realpath "$4")
. "$(dirname "$0")/../../support/need.sh"
. "$(dirname "$0")/../../support/browser.sh"
need jq jq
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"
browser_begin "$out"
failed=0
wrong() { echo "$*"; failed=1; }

# run NAME OPTIONS... -- PROGRAM: runs the program and makes the page NAME/report.html
run() {
    local name=$1
    shift
    "$heddle" run -q --out "$name" "$@" >said 2>&1 </dev/null || { cat said; exit 1; }
    "$heddle" report "$name" 2>said || { cat said; exit 1; }
    [ "$(cat said)" = "heddle: written: $name/report.html" ] || wrong "$name: $(cat said)"
    [ "$(wc -c <"$name/report.html")" -le 2000000 ] || wrong "$name: the page is over 2 MB"
    opened "$name/report.html"
}
# opened FILE [STATE]: opens the page, which must have come to its end
opened() {
    browser_open "$@" || failed=1
    has 'data-complete="yes"'
}
has() { grep -qF -- "$1" <<<"$page" || wrong "the page does not say: $1"; }
has_not() { ! grep -qF -- "$1" <<<"$page" || wrong "the page says: $1"; }
# rows: the rows of the table of kernels, a line each, without tags
rows() {
    tr '\n' ' ' <<<"$page" | sed 's|.*<table id="table">||; s|</table>.*||; s|<tr|\n<tr|g' |
        grep '^<tr><td' | sed 's|<button[^>]*>[^<]*</button>||g; s|<[^>]*>| |g'
}
# first NAME STATE FILTER: the first kernel with the state is the one that jq's filter finds
first() {
    local expected
    expected=$(jq -r "$3 | .name" "$1/report.json")
    opened "$1/report.html" "$2"
    rows | sed -n 1p | grep -F "$expected" >/dev/null ||
        wrong "$1#$2: the first kernel is not $expected: $(rows | sed -n 1p)"
}

run vector_add --trace-api --timeline -- "$apps/vector_add"
has '<h1>vector_add</h1>'
has 'Tesla V100 (simulated), 80 SMs'
has 'All kernels, weighted by time'
has 'Roofline of FP32 operations'
has 'Bytes moved between memories'
has 'cudaLaunchKernel'
has_not 'did not record the times of calls'
has 'host to device'
has 'clock.core'
has '>Energy<'
has 'data-drawn="' # the canvas was drawn
has_not 'data-drawn="0"'
has ' spans, 640 CTAs and 7 counters, in '
has 'GPU 0: kernels'
has 'host thread 1'
has_not 'The run has no timeline'
all=$(grep -o 'data-drawn="[0-9]*"' <<<"$page")
opened vector_add/report.html 'timeline.from=1000000&timeline.to=2000000' # before the first kernel
[ "$(grep -o 'data-drawn="[0-9]*"' <<<"$page")" != "$all" ] || wrong 'the timeline does not zoom'
opened vector_add/report.html 'timeline.sm=0.79'
has_not 'data-drawn="0"'
opened vector_add/report.html
has_not '(set)'
cycles=$(jq '.kernel_groups[0].cycles' vector_add/report.json)
rows | tr -d ' \302\240\342\200\257' | grep "$cycles" >/dev/null ||
    wrong "no $cycles cycles: $(rows)"

has 'if (i &lt; n) c[i] = a[i] + b[i];' # its source

run lu --timeline -- "$apps/lu_decomposition"
[ "$(jq '[.traceEvents[] | select(.args.cta >= 0)] | length' lu/trace.json)" = \
    "$(sed -n 's|.*id="data">\(.*\)</script>.*|\1|p' lu/report.html |
        jq '[.timeline.sms[].ctas | length / 7] | add')" ] || wrong 'the page has other CTAs'
# the page has what instructions.csv counts
for count in warps issued wait_shared; do
    shown=$(sed -n 's|.*id="data">\(.*\)</script>.*|\1|p' lu/report.html |
        jq -c --arg name $count '.source | ([.counts[][0]] | index($name)) as $place | [.kernels[] |
            [.instructions[][4] | _nwise(2) | select(.[0] == $place)[1]] | add] | sort')
    counted=$(awk -F, -v name=$count '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
        { sum[$2] += $c } END { for (k in sum) print sum[k] }' lu/instructions.csv |
        sort -n | jq -cs .)
    [ "$shown" = "$counted" ] || wrong "the page has other $count: $shown, not $counted"
done
opened lu/report.html 'open=all&cpi.open=all&lines=all' # all that is behind a +
has '<dt>Energy</dt>' # where the energy of a kernel goes
has 'First launch'
has 'Launch overhead'
has 'launch 0, '
has 'id="table-launches0"'
has_not '<tr class="detail" hidden'
opened lu/report.html 'idle=no'
has 'class="parted" style="width:'
has_not 'title="no_warp'
opened lu/report.html 'view=mir&source=1'
has 'Machine code (MIR)'
opened lu/report.html 'view=ptx'
has 'ld.shared.f32'
opened lu/report.html
has 'did not record the times of calls'
[ "$(rows | wc -l)" = "$(jq '.kernel_groups | length' lu/report.json)" ] ||
    wrong "lu: rows are missing"
first lu '' '.kernel_groups | max_by(.time_ps)'
first lu sort=cycles '.kernel_groups | max_by(.cycles / .launches)'
first lu 'sort=cycles&order=up' '.kernel_groups | min_by(.cycles / .launches)'
first lu sort=ipc '.kernel_groups | max_by(.ipc)'
opened lu/report.html 'filter=PERIMETER'
[ "$(rows | wc -l)" = "$(jq '[.kernel_groups[] | select(.name == "lu_perimeter")] | length' \
    lu/report.json)" ] || wrong "lu: the filter shows $(rows)"
opened lu/report.html 'memory=0&operations=integer&section=memory'
has 'Roofline of Integer operations'

run functional --timing none -- "$apps/vector_add"
has 'without timing'
has 'The run was functional (--timing none)'
has_not 'of the kernel</th>'
has_not 'weighted by time'

run devices --devices 2 -- "$devices"
has '2 GPUs with launches'
has 'GPU 1, stream '
has 'The run has no timeline'
for device in 0 1; do
    [ "$(rows | grep -cE "^ *scale&lt;(float|double)&gt;  (40|47) x 128  $device  3 ")" = 2 ] ||
        wrong "GPU $device: $(rows)"
done
run nodes --nodes 2 --set sm.count=8 -- "$apps/ping_pong"
has '2 nodes ('
has 'id="section-nodes"'
has 'sent_bytes'
run many --set sm.count=4 -- "$launches" 2300 100 # one of its kernels reads and writes nothing
has 'launches and copies between the first and the last ones are left out'
run changed --set l1.ways=1 --set l2.latency=500 -- "$apps/vector_add"
has 'l1.ways (set)'

# ---- texts of a report that look like HTML; members that are null or missing
mkdir hostile bare
jq '(.. | .name? // empty | select(. == "vector_add")) =
        "<i>k</i></script><script>throw 1</script>" | .run.program = "p/<u>&amp;\"" |
        .run.notes = ["<s>note"] | .inputs = {arguments: ["</script>", "<q>", "two words"],
        parameters: {"clock.core": {value: 1380, gpu_file: "<tt>"}},
        heddle: {revision: "<b>12ab"}}' \
    vector_add/report.json >hostile/report.json
"$heddle" report hostile 2>/dev/null
opened hostile/report.html
has '&lt;i&gt;k&lt;/i&gt;&lt;/script&gt;'
has "'&lt;/script&gt;' '&lt;q&gt;' 'two words'"
has 'In the file'
for tag in '<i>k' '<u>' '<s>' '<q>' '<b>' '<tt>'; do has_not "$tag"; done
jq '{run: {gpu: .run.gpu, timing: .run.timing, program: .run.program},
    kernel_groups: [.kernel_groups[] | {name, grid, block, launches}]}' \
    vector_add/report.json >bare/report.json
"$heddle" report bare 2>/dev/null
opened bare/report.html
has 'No launch was timed'
has 'report.json has no parameters'

# ---- timelines that do not fit, and others
run large --timeline --set sm.count=4 -- "$launches" 4200 100
has 'shorter spans are not on this page'
mkdir cut
cp vector_add/report.json cut/
head -c 20000 vector_add/trace.json >cut/trace.json
"$heddle" report cut 2>/dev/null
opened cut/report.html
has 'trace.json is damaged'

# ---- comparisons
"$heddle" compare --html changes.html vector_add changed >/dev/null
opened changes.html
has '<h1>Two runs</h1>'
has 'l1.ways'
has 'id="table-different"'
opened changes.html open=all
has 'Counters that moved'
has 'Cycles of a launch'
has 'Only follows the cycles'
"$heddle" compare --html none.html functional vector_add >/dev/null
opened none.html
has 'has no cycles to compare'

# ---- the same report, the same page; a name of the user's own
"$heddle" report -o again.html lu/report.json 2>/dev/null
cmp -s again.html lu/report.html || wrong "two pages of one report differ"
exit $failed
