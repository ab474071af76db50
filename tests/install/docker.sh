#!/usr/bin/env bash
# docker.sh BUILD - checks the Dockerfile against the tree: what it copies is there and is not
# ignored, the scripts that it runs are there and can be run, its entry point is a program of the
# build, its default command works, and its packages are those of packages.txt.
set -euo pipefail
build=$1
cd "$(dirname "$0")/../.."
failed=0
wrong() { echo "$*"; failed=1; }

# lines that end in a backslash are joined
sed -e ':a' -e '/\\$/N; s/\\\n//; ta' Dockerfile >"$build/dockerfile"
grep -qE '^FROM debian:12' "$build/dockerfile" || wrong "the packages are those of Debian 12"
copies=0
while read -r -a words; do
    unset 'words[-1]' # where to
    for source in "${words[@]}"; do
        copies=$((copies + 1))
        [ -e "$source" ] || wrong "COPY $source: not there"
        [ ! -f .dockerignore ] || ! grep -qxF "$source" .dockerignore ||
            wrong "COPY $source: ignored"
    done
done < <(sed -n 's/^COPY //p' "$build/dockerfile")
[ "$copies" -ge 3 ] || wrong "COPY: $copies sources"
while read -r script; do
    [ -x "$script" ] || wrong "RUN $script: not there, or cannot be run"
done < <(grep -oE '\./[a-z]+\.sh' "$build/dockerfile" | sort -u)
grep -q 'heddle_install run test' "$build/dockerfile" || wrong "the packages are not installed"
for role in run test; do
    grep -q "^# $role:" packages.txt || wrong "packages.txt has no role $role"
done
bash -c '. tools/setup.sh && declare -F heddle_install' >/dev/null || wrong "no heddle_install"

entry=$(sed -n 's/^ENTRYPOINT \["\(.*\)"\]$/\1/p' "$build/dockerfile")
path=$(sed -n 's/^ENV PATH="\/heddle\/build\/\([a-z]*\):.*/\1/p' "$build/dockerfile")
command=$(sed -n 's/^CMD \["\(.*\)"\]$/\1/p' "$build/dockerfile")
"$build/$path/$entry" "$command" >"$build/dockerfile" || wrong "$path/$entry $command fails"
grep -q '^Usage: heddle' "$build/dockerfile" || wrong "$entry $command does not help"
rm -f "$build/dockerfile"
exit $failed
