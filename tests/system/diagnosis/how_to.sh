#!/usr/bin/env bash
# how_to.sh HEDDLE HEDDLE_CC SOURCE PAGE [LEAST] - runs the commands of a page in docs/ in an
# empty directory. Indented lines of the page are commands if they begin with a program's name
# below; every other indented line must be among those that the last command has printed (" ...":
# cut). LEAST (20): that many lines of output the page shows at least. Blocks between ``` are left
# out, and so is the line that puts the programs on the reader's path.
set -euo pipefail
heddle=$(realpath "$1") compiler=$(realpath "$2") source=$(realpath "$3")
. "$(dirname "$0")/../../support/need.sh"
need jq jq
page=$source/docs/$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/run"
ln -s "$heddle" "$work/bin/heddle"
ln -s "$compiler" "$work/bin/heddle-cc"
PATH=$work/bin:$PATH
export SOURCE=$source
cd "$work/run"

said=$work/said
: >"$said"
# printed LINE: the command printed the line, or one that begins with it if it ends in " ..."
printed() {
    case $1 in
        *' ...') awk -v begin="${1% ...}" 'index($0, begin) == 1 { found = 1 }
            END { exit !found }' "$said" ;;
        *) grep -qxF -- "$1" "$said" ;;
    esac
}

failed=0 checked=0 least=${5:-20} fenced=0
while IFS= read -r line; do
    case $line in
        '```'*) fenced=$((1 - fenced)) ;;
    esac
    [ "$fenced" = 0 ] || continue
    case $line in
        '    export PATH='*) ;;
        '    heddle '* | '    heddle-cc '* | '    jq '* | '    awk '*)
            bash -euo pipefail -c "${line#    }" >>"$said.new" 2>&1 ||
                { cat "$said.new"; echo "fails: $line"; exit 1; }
            mv "$said.new" "$said"
            ;;
        '    '*)
            checked=$((checked + 1))
            printed "${line#    }" || { echo "not printed: ${line#    }"; failed=1; }
            ;;
    esac
done <"$page"
[ "$checked" -ge "$least" ] || { echo "the page shows only $checked lines of output"; failed=1; }
[ "$failed" = 0 ] || { echo "The commands printed otherwise: mend the page."; exit 1; }
