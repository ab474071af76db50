# browser.sh - sourced by tests that open pages in Chromium without a window.
#
# browser_begin DIR: skips the test if Chromium is missing or does not start here (tests/support/
# need.sh), and checks that a page's errors are noticed. DIR is for its files. browser_open FILE
# [STATE]: opens FILE#STATE, puts the document as its scripts left it into $page, without the
# scripts, and fails if the page wrote any message to the console: the pages of Heddle write none,
# and an error is one. browser_open_address ADDRESS [STATE] does the same for http://...
browser_dir= browser_more=
browser_run() { # ADDRESS STATE
    timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --disable-extensions --no-first-run --user-data-dir="$browser_dir/profile" \
        --enable-logging=stderr --dump-dom $browser_more "$1#${2:-}" \
        2>"$browser_dir/errors" >"$browser_dir/page"
}

browser_begin() {
    need chromium chromium
    browser_dir=$1/browser
    mkdir -p "$browser_dir"
    local file=$browser_dir/probe.html script
    echo '<p id="p"></p><script>p.textContent = "scripts " + "run"</script>' >"$file"
    browser_run "file://$file" && grep -q 'scripts run' "$browser_dir/page" ||
        missing "a Chromium that starts here ($(tail -1 "$browser_dir/errors" | cut -c1-200))" \
            chromium
    for script in 'console.error("wrong")' 'throw new Error("wrong")' \
        'fetch("http://0.0.0.0/")'; do
        echo "<meta http-equiv=Content-Security-Policy content=\"default-src 'none';" \
            "script-src 'unsafe-inline'\"><script>$script</script>" >"$file"
        browser_run "file://$file"
        grep -q 'CONSOLE' "$browser_dir/errors" ||
            { echo "an error of a page is not noticed: $script"; exit 1; }
    done
}

browser_open() {
    browser_open_address "file://$(realpath "$1")" "${2:-}"
}

browser_open_address() {
    local status=0 browser_more=
    # a page that asks its server comes to its end when the answers are there: the clock of its
    # timers stands still until then
    case $1 in http:*) browser_more=--virtual-time-budget=3000 ;; esac
    browser_run "$1" "${2:-}" || status=$?
    page=$(awk 'BEGIN { RS = "</script>" } { sub(/<script.*/, ""); printf "%s", $0 }' \
        "$browser_dir/page")
    [ "$status" = 0 ] || { echo "$1: Chromium ended with $status"; return 1; }
    ! grep 'CONSOLE' "$browser_dir/errors" || { echo "$1: messages on the console"; return 1; }
}
