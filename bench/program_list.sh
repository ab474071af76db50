# program_list.sh - sourced by scripts of bench/ that run a list of programs: the list, and what
# such scripts say. $heddle is the program of that name.
#
# A list is a text file with a program a line; '#' begins a comment:
#
#   NAME FOLDER [OPTIONS of heddle run ...] COMMAND [ARGUMENTS ...]
#
# The program runs in FOLDER, which counts from the list's own folder. NAME is unique and the name
# of its results. An option is a word that begins with --, written --NAME=VALUE.

fail() { # MESSAGE
    echo "bench/$(basename "$0"): $1" >&2
    exit 2
}
# Prints the comment at the script's head, and ends it.
show_help() {
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"
    exit 0
}
need_tools() {
    command -v python3 >/dev/null || fail "python3 is missing (apt-get install python3)"
    [ -x "$heddle" ] || fail "$heddle is not there; build first, or set HEDDLE"
}

# read_programs LIST: fills the arrays names, folders, options and commands, an element a program;
# options and commands are words with blanks between them. Ends the script after an error.
read_programs() {
    local list=$1 number=0 line word seen=" "
    names=() folders=() options=() commands=()
    [ -r "$list" ] || fail "$list: cannot be read"
    while read -r line || [ -n "$line" ]; do
        number=$((number + 1))
        line=${line%%#*}
        set -f
        # shellcheck disable=SC2086 # the line's words
        set -- $line
        set +f
        [ $# -gt 0 ] || continue
        [ $# -ge 3 ] || fail "$list:$number: NAME FOLDER COMMAND expected"
        case $1 in */* | .*) fail "$list:$number: $1 cannot name a folder of results" ;; esac
        case $seen in *" $1 "*) fail "$list:$number: $1 is there twice" ;; esac
        seen+="$1 "
        names+=("$1")
        case $2 in /*) folders+=("$2") ;; *) folders+=("$(dirname "$list")/$2") ;; esac
        shift 2
        word=
        while [ $# -gt 0 ] && [ "${1#--}" != "$1" ]; do
            word+="$1 "
            shift
        done
        [ $# -gt 0 ] || fail "$list:$number: no command"
        options+=("$word")
        commands+=("$*")
    done <"$list"
    [ ${#names[@]} -gt 0 ] || fail "$list: no program"
}
