#!/usr/bin/env bash
# links.sh - checks that named files exist: links and paths in *.md, and pages of docs/ named in any
# source file.
. "$(dirname "$0")/common.sh"

mapfile -t pages < <(tracked '*.md')
mapfile -t texts < <(tracked '*.md' '*.c' '*.h' '*.cpp' '*.cu' '*.cuh' '*.sv' '*.svh' '*.v' '*.sh' \
    '*.cmake' '*CMakeLists.txt' '*.def' '*.ini' '*.tcl' '*.awk' '*Makefile')

# [text](target): relative to the page
while IFS=: read -r file line target; do
    target=${target#*(} target=${target%)}
    [ -e "$(dirname "$file")/${target%%#*}" ] || wrong "$file:$line: no file '$target'"
done < <(grep -noE '\]\([^)#:]+(#[^)]*)?\)' -H "${pages[@]}")

# paths from the top of the tree
folders='docs|host|include|python|examples|rtl|tests|models|apps|tools|bench|sw_emu|cmake|xclbin'
endings='md|c|h|cpp|def|sv|svh|v|vlt|sh|py|ini|csv|cmake|txt|cu|tcl|awk|cfg|xsd'
while IFS=: read -r file line path; do
    path=$(grep -oE "($folders)/.*" <<<"$path")
    [ -e "$path" ] || wrong "$file:$line: no file '$path'"
done < <({
    grep -noHE "(^|[^[:alnum:]_./-])($folders)/[[:alnum:]_./-]*[[:alnum:]_-]\.($endings)\b" \
        "${pages[@]}"
    grep -noHE "(^|[^[:alnum:]_./-])docs/[[:alnum:]_-]+\.md\b" "${texts[@]}"
} | sort -u)
finish "Name the file that is meant, or write it."
