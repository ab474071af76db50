#!/usr/bin/env bash
# yosys.sh BUILD_DIRECTORY - checks the RTL for what yosys 0.23 misreads (docs/synthesis.md).
# - yosys reads the whole kernel. It makes only the arrays of yosys.allow into lists of registers;
#   a memory would otherwise silently become flip-flops.
# - No cast has a unary operator in front: yosys reads ~W'(x) as (~W)'(x), and x is silently lost.
# - No sum without a cast of its own stands in a comparison with a cast or, beside a cast, in a
#   concatenation, and no cast stands in an arm of ?: in a concatenation: a cast makes the
#   surrounding expression as wide as its operand was.
# - No argument is '1, which yosys takes for one bit.
. "$(dirname "$0")/common.sh"
need yosys yosys
build=${1:-build}
[ -f "$build/generated/heddle_gen.svh" ] || {
    echo "$build/generated/heddle_gen.svh is not built: build first"
    exit 1
}
allow=tests/lint/yosys.allow
sources=$(grep -v '^//' rtl/heddle.f | sed 's|^|rtl/|' | tr '\n' ' ')
include="-I$build/generated -Irtl -Irtl/sm -Irtl/l2"
said=$(mktemp)
trap 'rm -f "$said"' EXIT
yosys -p "read_verilog -sv -defer -DSYNTHESIS $include $sources
          hierarchy -check -top heddle_kernel" >"$said" 2>&1 || {
    wrong "$(grep 'ERROR' "$said" | cut -c1-300)"
    finish "docs/synthesis.md lists what yosys 0.23 does not know."
}
# "name line" for each array; a function's variable has the name function.variable
replaced=$(sed -nE 's/^.*Replacing memory \\([^ ]+) with list of registers. See (.*)/\1 \2/p' \
    "$said" | sed -E 's/\$func\$[^ ]*\.([^. ]+) /.\1 /' | sort -u)
[ -n "$replaced" ] || wrong "yosys names no array at all: has its message changed?"
while read -r name where; do
    grep -q "^$name  *#" "$allow" || wrong "$name becomes flip-flops, because of $where"
done <<<"$replaced"
while read -r name; do
    grep -q "^$name " <<<"$replaced" || wrong "$allow: $name is no list of registers any more"
done < <(sed -E '/^#/d; /^$/d; s/ .*//' "$allow")
while read -r where; do
    [ -z "$where" ] || wrong "$where: yosys takes the operator for part of the cast's size"
done < <(tracked 'rtl/*.sv' 'rtl/*.svh' |
    xargs grep -noE "[(,=?:&|^+*<>{-] *[~!&|^-][A-Za-z0-9_]+'\(")
while read -r where; do
    [ -z "$where" ] || wrong "$where: yosys makes the sum as wide as the cast's operand"
done < <(tracked 'rtl/*.sv' 'rtl/*.svh' | xargs grep -noE \
    -e "[A-Za-z0-9_.] [-+] [A-Za-z0-9_.]+ (==|!=|<|>|<=|>=) [A-Za-z0-9()]+'\(" \
    -e "\{[^{}]*'\([^()]*\) [-+] " -e "\{[^{}]*[?:] [A-Za-z0-9]+'\([^{}]" | grep -v " 32'(")
while read -r where; do
    [ -z "$where" ] || wrong "$where: yosys takes '1 as an argument for one bit"
done < <(tracked 'rtl/*.sv' 'rtl/*.svh' | xargs grep -noE "[a-z_0-9]\(([^()]*, )?'1[,)]")
finish "docs/synthesis.md says how to write a cast, and what makes a memory; an array that shall" \
    "be registers goes into $allow, with the reason."
