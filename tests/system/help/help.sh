#!/usr/bin/env bash
# help.sh HEDDLE OUT - checks all that is made from the tables of commands and options: helps that
# fit a screen and leave out nothing, manual pages that groff formats without a warning, completions
# that bash and zsh accept and that complete, and suggestions for misspelt words.
set -euo pipefail
heddle=$1 out=$2
cd "$(dirname "$0")/../../.."
. tests/support/need.sh
need groff groff-base
need zsh zsh
rm -rf "$out"
mkdir -p "$out"
failed=0
wrong() { echo "$*"; failed=1; }
tables=host/tables
# a row of a table of options: its name and its level
level='(MAIN|MORE|PASSED|HIDDEN)'
row='s/^OPTION\([a-z0-9_]+, "([^"]+)", [^,]*, [A-Z]+, "[^"]*", '$level', .*/\1 \2/p'

# fits FILE WHAT LINES: at most so many lines, of 80 columns
fits() {
    [ "$(wc -l <"$1")" -le "$3" ] || wrong "$2: $(wc -l <"$1") lines"
    [ "$(wc -L <"$1")" -le 80 ] || wrong "$2: $(wc -L <"$1") columns: $(grep -E '.{81}' "$1")"
}

mapfile -t commands < <(sed -n 's/^COMMAND([a-z_]*, "\([^"]*\)".*/\1/p' $tables/cli_commands.def)
[ "${#commands[@]}" = "$(grep -c '^COMMAND(' $tables/cli_commands.def)" ] || wrong "commands"
"$heddle" --help >"$out/help"
fits "$out/help" "heddle --help" 24
grep -q -- '--version' "$out/help" || wrong "--version is not in the help"
"$heddle" --version | grep -qE '^heddle [0-9.]+ \([0-9a-f]{12}(-changed)?\)$|no revision' ||
    wrong "version: $("$heddle" --version)"

for command in "${commands[@]}"; do
    name=${command// /-} table=$tables/options/${command// /_}.def
    grep -q "^  $command  *[a-z]" "$out/help" || wrong "$command is not in heddle --help"
    # shellcheck disable=SC2086
    "$heddle" $command --help >"$out/$name.help" || wrong "$command --help fails"
    # shellcheck disable=SC2086
    "$heddle" $command --help-all >"$out/$name.all" || wrong "$command --help-all fails"
    "$heddle" config --page "man:$name" >"$out/heddle-$name.1"
    fits "$out/$name.help" "heddle $command --help" 24
    fits "$out/$name.all" "heddle $command --help-all" 200
    head -1 "$out/$name.help" | grep -q "^Usage: heddle $command" || wrong "$command: usage"
    while read -r option level; do
        [ "$level" != HIDDEN ] || {
            grep -q -- "--$option\b" "$out/$name.all" && wrong "$command: --$option is hidden"
            continue
        }
        [ "$level" != MAIN ] || grep -qE "^  (-., )?--$option( |\[|$)" "$out/$name.help" ||
            wrong "$command --help lacks --$option"
        grep -qE "^  (-., )?--$option( |\[|$)" "$out/$name.all" ||
            wrong "$command --help-all lacks --$option"
        grep -q "\\\\-\\\\-${option//-/\\\\-}" "$out/heddle-$name.1" ||
            wrong "heddle-$name.1 lacks --$option"
    done < <(sed -nE "$row" "$table")
    # the pattern has passed over none of the rows, but that of the arguments
    [ "$(grep -c '^OPTION([a-z0-9_]*, "[^"]' "$table")" = "$(sed -nE "$row" "$table" | wc -l)" ] ||
        wrong "$table: a row of another form"
done
"$heddle" config --page man >"$out/heddle.1"
for page in "$out"/*.1; do
    groff -man -Tascii -ww -z "$page" 2>"$out/said" && [ ! -s "$out/said" ] ||
        wrong "$page: $(cat "$out/said")"
done
groff -man -Tascii "$out/heddle-run.1" | grep -q 'such as 0,3,10-19' || wrong "heddle-run.1"

# ---- bash
"$heddle" config --page bash >"$out/bash"
bash -n "$out/bash" || wrong "bash does not accept the completion"
ln -sf "$(readlink -f "$heddle")" "$out/heddle"
# completes WORDS... : what bash completes for the last of them
completes() {
    PATH=$out:$PATH bash -c 'compopt() { :; }
        . "$1"; shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
        _heddle heddle "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf "%s " "${COMPREPLY[@]}"' sh "$out/bash" "$@"
}
# expect TEXT WORDS...
expect() {
    local got
    got=$(completes "${@:2}")
    [ "$got" = "$1" ] || wrong "completion of ${*:2}: '$got', not '$1'"
}
expect "sweep " heddle sw
expect "--timing --timeout --timeout-target --timeline --timeline-interval --timeline-limit " \
    heddle run --ti
expect "rtl reference none " heddle run --timing ""
expect "rtl reference " heddle run --timing = r
expect "h100-pcie h100-sxm h200 " heddle run --gpu h
expect "hbm3 hbm3e " heddle dram --preset hbm3
expect "new " heddle config n
expect "--base --bandwidth " heddle config new --ba
expect "check " heddle card ch
expect "sm.count= " heddle run --set sm.co
expect "tests " heddle run --out tes
expect "README.md " heddle run -- READ

# ---- zsh
"$heddle" config --page zsh >"$out/_heddle"
zsh -n "$out/_heddle" || wrong "zsh does not accept the completion"
# completions in zsh need a terminal: look that each option has a specification without a blank name
[ "$(grep -cE "^ +'\*?--[a-z-]+(=-?)?\[[^]]+\]" "$out/_heddle")" -gt 100 ] || wrong "zsh: options"

# ---- suggestions
# suggests TEXT ARGUMENTS...
suggests() {
    local said
    said=$("$heddle" "${@:2}" 2>&1 >/dev/null) && wrong "heddle ${*:2}: no error"
    [ "$said" = "heddle: error: $1" ] || wrong "heddle ${*:2}: $said"
}
suggests "no command 'annotete', did you mean 'annotate'? \`heddle --help\` lists them" annotete
suggests "no command 'paint', \`heddle --help\` lists them" paint
suggests "no command 'swep', did you mean 'sweep'? \`heddle --help\` lists them" swep
suggests "no command 'config-new', did you mean 'config new'? \`heddle --help\` lists them" \
    config-new
suggests "Unknown option --kernel, did you mean --kernels?" run --kernel x
suggests "Unknown option --bandwith, did you mean --bandwidth?" config new x --bandwith 3
suggests "Unknown option --frobnicate" gpus --frobnicate
suggests "Unknown option --recor" card check --recor
exit $failed
