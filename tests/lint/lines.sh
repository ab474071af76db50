#!/usr/bin/env bash
# lines.sh - checks every source file: no line over 100 columns, no file over 600 lines, no notes
# about unfinished work, no marks of an unfinished merge, no paths of one machine.
. "$(dirname "$0")/common.sh"
max_columns=100
max_lines=600
allow=tests/lint/paths.allow

code=('*.c' '*.h' '*.cpp' '*.cu' '*.cuh' '*.sv' '*.svh' '*.v' '*.sh' '*.py' '*.cmake'
    '*CMakeLists.txt' '*.awk' '*.tcl' '*Makefile' '*.cfg' '*.xsd' '*.js'
    '*.css' '*.html')
mapfile -t sources < <(tracked "${code[@]}")
mapfile -t texts < <(tracked "${code[@]}" '*.def' '*.md' '*.ini' '*.json' '*.txt' '*.map' '*.vlt')

# awk counts bytes in the C locale, so a line is measured in characters of UTF-8.
while read -r line; do wrong "$line"; done < <(
    LC_ALL=C.UTF-8 awk -v max=$max_columns '
        length($0) > max {
            print FILENAME ":" FNR ": " length($0) " columns, more than " max
        }' \
        "${sources[@]}"
    for f in "${sources[@]}"; do
        n=$(wc -l <"$f")
        [ "$n" -le $max_lines ] || echo "$f: $n lines, more than $max_lines: split it"
    done
    grep -nE '\b(TODO|FIXME|XXX)\b' "${texts[@]}" | grep -v '^tests/lint/' |
        sed 's/$/   (open an issue instead, or do it)/' || true
    grep -nE '^(<<<<<<<|>>>>>>>)( |$)' "${texts[@]}" | sed 's/$/   (finish the merge)/' || true
    # A line of paths.allow is an extended regular expression over "file:line:text", with a reason.
    grep -nE '(^|[^[:alnum:]_/.}*)-])/(tmp|root|home|work)(/|\b)' "${texts[@]}" |
        grep -v '^tests/lint/' |
        grep -vE -f <(sed -e '/^#/d' -e '/^$/d' -e 's/ *# .*//' $allow) |
        sed "s|\$|   (a path of one machine; a test that needs it goes into $allow)|" ||
        true)
finish "Break the line, split the file, or do what the note says."
