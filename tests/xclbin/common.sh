# common.sh - sourced by the tests of xclbin/, which run from the top of the source tree. None of
# them needs a tool of AMD; `make -C xclbin check` runs them as well. They make what they need in
# the folder $out, which is removed at the end.
. "$(dirname "${BASH_SOURCE[0]}")/../lint/common.sh"
need make make
# make check would hand its variables on
unset MAKEFLAGS MAKEOVERRIDES MAKELEVEL MFLAGS
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# make_xclbin TARGET_OR_VARIABLE...: make of xclbin/, in $out.
make_xclbin() { make -s --no-print-directory -C xclbin OUT="$out" "$@"; }

# rows FILE MACRO: the rows MACRO(a, b, ...) of a table of host/tables, their fields separated by
# spaces; spaces inside quotation marks become _.
rows() {
    sed -nE "s/^$2\\((.*)\\)[^)]*\$/\\1/p" "host/tables/$1" |
        awk -F'"' '{ for (i = 2; i <= NF; i += 2) gsub(/[ ,]/, "_", $i)
                     gsub(/ *, */, " "); print }'
}

# same WHAT EXPECTED_FILE FOUND_FILE: a finding for each line in which they differ.
same() {
    local line
    while read -r line; do wrong "$1: $line"; done < <(
        diff <(cat "$2") <(cat "$3") | sed -n 's/^</expected:/p; s/^>/found:   /p'
    )
}

# fails WHAT EXPECTED_TEXT COMMAND...: the command must fail and print the text.
fails() {
    local what=$1 text=$2 said
    shift 2
    if said=$("$@" 2>&1); then
        wrong "$what: it succeeds, and should say: $text"
    elif ! grep -qF -- "$text" <<<"$said"; then
        wrong "$what: it should say: $text"
        wrong "    and says: $(tail -2 <<<"$said")"
    fi
}
