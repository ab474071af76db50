#!/usr/bin/env bash
# xml.sh - checks kernel.xml, which xclbin/Makefile makes from the tables: it is well formed and
# fits the schema kernel.xsd; its arguments are those of core_regs.def, its ports and name those of
# core_ports.def and of the module in rtl/top/heddle_kernel.v, and the host opens a kernel of that
# name. A wrong file must be refused.
. "$(dirname "$0")/common.sh"
need xmllint libxml2-utils
schema=tests/xclbin/kernel.xsd top=rtl/top/heddle_kernel.v
xml=$out/generated/kernel.xml
make_xclbin "$xml" || finish "kernel.xml could not be made."
xmllint --noout --schema $schema "$xml" >"$out/said" 2>&1 || wrong "$(cat "$out/said")"

# attributes PATH NAME...: of each element of the path, on a line
attributes() {
    local path=$1 i=0 name
    shift
    while [ $((i += 1)) -le "$(xmllint --xpath "count($path)" "$xml")" ]; do
        for name; do printf '%s ' "$(xmllint --xpath "string(($path)[$i]/@$name)" "$xml")"; done
        echo
    done
}
# number, offset, name, bytes, whether a buffer
attributes //arg id offset name size addressQualifier >"$out/arguments"
rows core_regs.def ARG | while read -r number offset name bits buffer _; do
    printf '%d 0x%03x %s 0x%x %d \n' "$number" "$offset" "$name" $((bits / 8)) "$buffer"
done >"$out/expected"
[ -s "$out/expected" ] || wrong "no ARG in core_regs.def is recognised"
same "arguments of kernel.xml (id, offset, name, size, addressQualifier)" "$out/expected" \
    "$out/arguments"
# a buffer of 64 bits at the master port, a scalar at the slave port
attributes //arg addressQualifier type port size hostSize | sort -u >"$out/forms"
printf '%s \n' "0 uint s_axi_control 0x4 0x4" "1 void* m_axi_gmem 0x8 0x8" >"$out/expected"
same "forms of arguments" "$out/expected" "$out/forms"

# the module's ports, and the parameters that say how wide they are
parameter() { sed -nE "s/^ *parameter +$1 += ([0-9]+).*/\\1/p" $top; }
sed -nE 's/^ *(input|output) +wire.* ([sm]_axi_[a-z0-9]+)_[a-z]+,?$/\2/p' $top | sort -u |
    while read -r port; do
        case $port in
            s_*) echo "$port slave $(printf '0x%X' \
                $((1 << $(parameter "C_${port^^}_ADDR_WIDTH")))) $(parameter \
                "C_${port^^}_DATA_WIDTH")" ;;
            *) echo "$port master 0xFFFFFFFFFFFFFFFF $(parameter "C_${port^^}_DATA_WIDTH")" ;;
        esac
    done >"$out/expected"
attributes //port name mode range dataWidth | sed 's/ $//' | sort >"$out/ports"
same "ports (name, mode, range, dataWidth; expected: those of $top)" "$out/expected" "$out/ports"
[ "$(parameter C_M_AXI_GMEM_ADDR_WIDTH)" = 64 ] || wrong "$top: Vitis wants addresses of 64 bits"

name=$(attributes //kernel name)
name=${name% }
grep -q "^module $name " $top || wrong "$top has no module $name"
said=$(grep -rhoE '#define [A-Z_]*KERNEL_NAME ".*"' host | sed 's/.* //' | sort -u)
[ "$said" = "\"$name\"" ] || wrong "the host opens another kernel: $said"

# the schema refuses what it should: a wrong control protocol, an argument twice at an offset, an
# argument at a port that does not exist, a missing attribute
while IFS='|' read -r what change; do
    sed -E "$change" "$xml" >"$out/broken.xml"
    cmp -s "$xml" "$out/broken.xml" && wrong "$what: the test changes nothing"
    fails "$what" "fails to validate" xmllint --noout --schema $schema "$out/broken.xml"
done <<'END'
control protocol|s/ap_ctrl_hs/user_managed/
offset twice|s/0x01c/0x010/
unknown port|s/(name="flags".*)s_axi_control/\1s_axi_config/
no type|s/ type="uint"//
END
finish "Mend tools/gen/gen_kernel.c, or host/tables/core_ports.def where the ports have changed."
