#!/usr/bin/env bash
# howto.sh - the worked changes of docs/how-to: a page and a patch each.
#
#   howto.sh page NAME       the diffs on the page are those of the patch
#   howto.sh check NAME      applies the patch to a copy of the tree, builds what it touches, and
#                            runs the tests that NAME.sh beside this file names; with another word
#                            `full`, the long ones instead
#   howto.sh open NAME DIR   copies the tree to DIR/old and DIR/new, applies the patch to DIR/new
#   howto.sh close NAME DIR  renews page and patch from the difference of DIR/old and DIR/new
. "$(dirname "$0")/../lint/common.sh"

usage() {
    sed -n '2,$s/^# \{0,1\}//p;/^$/q' "$0" >&2
    exit 2
}
[ $# -ge 2 ] || usage
here=$PWD name=$2 full=${3:-}
page=$here/docs/how-to/$name.md patch=$here/docs/how-to/$name.patch
[ -f "$page" ] || usage

# diffs FILE: the text of the diff blocks of a page
diffs() {
    awk '/^```diff$/ { on = 1; next } /^```$/ { on = 0 } on' "$1"
}

# copy DIR: the tree's files, without measurements of real GPUs
copy() {
    mkdir -p "$1"
    tracked '*' | grep -v '^models/gpus/measured/' | tar -cf - -T - | tar -xf - -C "$1"
}

# stop TEXT: the check has failed
stop() {
    echo "howto $name: $*"
    exit 1
}

renew="renew it: tests/howto/howto.sh open $name DIR; mend DIR/new until the diff says what the page
explains; tests/howto/howto.sh close $name DIR"

# What NAME.sh calls, in the patched copy: quick() or, with `full`, long(). build TARGET...: builds
# it, the models of the core without optimisation. passes, fails COMMAND...: runs a program of the
# build. lints [plain]: the checks of the RTL. plain FILE...: takes the patch's change of these
# files away again.
compiler=$(command -v clang++-14 || command -v c++) # clang is faster without optimisation
build() {
    if [ ! -d build ]; then
        cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DHEDDLE_QUICK_MODELS=ON \
            -DCMAKE_C_FLAGS_DEBUG=-O0 -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
            -DCMAKE_CXX_COMPILER="$compiler" >cmake.log 2>&1 ||
            { cat cmake.log; stop "cmake fails"; }
    fi
    ninja -C build -j1 "$@" >build.log 2>&1 || { tail -40 build.log; stop "does not build"; }
}
passes() {
    "build/$@" >run.log 2>&1 || { head -60 run.log; stop "$* fails"; }
    echo "passes: $*"
}
fails() {
    ! "build/$@" >run.log 2>&1 || stop "$* passes without the change: it proves nothing"
    echo "fails without the change: $*"
}
lints() {
    bash tests/lint/verilator.sh build "$@" || stop "lint"
    [ $# -gt 0 ] || bash tests/lint/yosys.sh build || stop "lint"
}
plain() {
    local f
    for f in "$@"; do
        cp "$here/$f" "$f"
        touch "$f"
    done
}

case $1 in
    page)
        diff -u "$patch" <(diffs "$page") ||
            stop "page and patch differ; tests/howto/howto.sh close writes both"
        ;;
    check)
        need verilator verilator
        need ninja ninja-build
        need patch patch
        work=$(mktemp -d)
        trap 'rm -rf "$work"' EXIT
        copy "$work"
        cd "$work"
        patch --fuzz=0 -p1 --no-backup-if-mismatch <"$patch" ||
            stop "the patch does not apply; $renew"
        mapfile -t c_files < <(sed -n 's|^+++ b/\(.*\.\(c\|h\|cpp\)\)$|\1|p' "$patch")
        if command -v clang-format-14 >/dev/null; then
            clang-format-14 --dry-run -Werror "${c_files[@]}" || stop "is not formatted"
        fi
        . "$here/tests/howto/$name.sh"
        if [ "$full" = full ]; then long; else quick; fi
        ;;
    open)
        [ $# -eq 3 ] && [ ! -e "$3" ] || usage
        copy "$3/old"
        copy "$3/new"
        patch --no-backup-if-mismatch -p1 -d "$3/new" <"$patch" || true
        ;;
    close)
        [ $# -eq 3 ] && [ -d "$3/new" ] || usage
        cd "$3"
        find new \( -name '*.rej' -o -name '*.orig' -o -path new/build \) -prune -exec rm -rf {} +
        # a block names its files in lines "+++ b/FILE"
        while IFS= read -r line; do
            case $line in
                '```diff')
                    echo "$line"
                    while IFS= read -r line && [ "$line" != '```' ]; do
                        f=${line#+++ b/}
                        [ "$f" = "$line" ] ||
                            diff -U1 --label "a/$f" --label "b/$f" "old/$f" "new/$f" || true
                    done
                    ;;
            esac
            printf '%s\n' "$line"
        done <"$page" >page.new
        cp page.new "$page"
        diffs "$page" >"$patch"
        while read -r f; do
            grep -qxF "+++ b/$f" "$patch" ||
                wrong "$f changes, but no block of the page has a line '+++ b/$f'"
        done < <(diff -rq old new | sed -nE 's|^Files old/(.*) and .*|\1|p')
        finish "Add a block for it."
        ;;
    *) usage ;;
esac
