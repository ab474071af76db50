#!/usr/bin/env bash
# pages.sh PAGE COMMAND... - checks that PAGE, a page of docs/ generated from a table, equals its
# generator's output.
. "$(dirname "$0")/common.sh"
page=$1
shift
if ! diff -u "$page" <("$@") | head -40; then
    echo
    echo "Run: $* > $page"
    exit 1
fi
