#!/usr/bin/env bash
# pages.sh PAGE COMMAND... - a page of docs/ that is made from a table equals what its generator
# prints.
. "$(dirname "$0")/common.sh"
page=$1
shift
if ! diff -u "$page" <("$@") | head -40; then
    echo
    echo "Run: $* > $page"
    exit 1
fi
