#!/usr/bin/env bash
# circles.sh BUILD_DIRECTORY [--edges] - checks that no files of host/, models/ and tools/ depend on
# each other in a circle. --edges prints the dependences.
#
# File A needs file B when A's object refers to a symbol that B's object defines. That covers calls,
# tables of functions and data. Several programs are built from these objects, so a symbol is
# looked up in its own target first, then in the other libraries.
. "$(dirname "$0")/common.sh"
build=${1:-build}
need nm binutils
# Only the objects of the current build: objects of files that have moved may still exist.
mapfile -t objects < <(
    sed -nE 's/^ *"command": .* -o ((host|models|tools)\/[^ ]*\.c\.o) .*/\1/p' \
        "$build/compile_commands.json" | LC_ALL=C sort -u | while read -r object; do
        [ -f "$build/$object" ] && echo "$build/$object"
    done
)
[ ${#objects[@]} -gt 100 ] || {
    echo "$build holds ${#objects[@]} objects of host/: build first"
    exit 1
}

# Prints a line for each symbol: target, file, nm's type (U: needed, else defined), symbol. The
# three libcudart have the same sources, so only the newest counts.
symbols() {
    nm -A --format=posix "${objects[@]}" 2>/dev/null |
        sed -nE 's|^.*/CMakeFiles/([^/]*)\.dir/(.*)\.o: ([^ ]+) ([A-Za-z]).*|\1 \2 \4 \3|p' |
        grep -vE '^cudart1[12] '
}

# Prints one edge per line, in tsort's form: the file that needs a symbol, the file that defines it.
edges() {
    awk '
        { file = $2; sub(/^.*\//, "", file) }
        $3 ~ /^[TDBRVWC]$/ {
            own[$1, $4] = file
            if (!($4 in any)) any[$4] = file
        }
        $3 == "U" { needs[++n] = $1 SUBSEP $4; by[n] = file }
        END {
            for (i = 1; i <= n; i++) {
                split(needs[i], part, SUBSEP)
                from = needs[i] in own ? own[needs[i]] : part[2] in any ? any[part[2]] : ""
                if (from != "" && from != by[i]) print by[i], from
            }
        }' | LC_ALL=C sort -u
}

graph=$(mktemp)
trap 'rm -f "$graph"' EXIT
symbols | edges >"$graph"
[ "${2:-}" != --edges ] || {
    cat "$graph"
    exit 0
}
[ "$(wc -l <"$graph")" -gt 500 ] || {
    echo "only $(wc -l <"$graph") dependences between files are seen: has nm's output changed?"
    exit 1
}

# Tarjan's strongly connected components: one line for each of two files or more.
circles=$(awk '
    function visit(f,    n, i, to, t, size, line) {
        low[f] = number[f] = ++visited
        stack[++depth] = f
        open[f] = 1
        n = split(needs[f], to, " ")
        for (i = 1; i <= n; i++) {
            t = to[i]
            if (!(t in number)) {
                visit(t)
                if (low[t] < low[f]) low[f] = low[t]
            } else if (open[t] && number[t] < low[f]) low[f] = number[t]
        }
        if (low[f] != number[f]) return
        do {
            t = stack[depth--]
            open[t] = 0
            line = line " " t
            size++
        } while (t != f)
        if (size > 1) print size " files:" line
    }
    { needs[$1] = needs[$1] " " $2; file[++files] = $1 }
    END { for (k = 1; k <= files; k++) if (!(file[k] in number)) visit(file[k]) }' "$graph")
while read -r line; do [ -z "$line" ] || wrong "$line"; done <<<"$circles"
finish "Each line is a circle of files. Move what both sides use into a file below, or" \
    "pass the upper one's function in. Who needs whom: circles.sh BUILD_DIRECTORY --edges."
