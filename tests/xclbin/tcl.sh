#!/usr/bin/env bash
# tcl.sh - runs xclbin/gen_xo.tcl on a stub of Vivado (vivado_stub.tcl), and compares what it made
# with the tables and rtl/heddle.f: all sources in order, every AXI interface clocked by ap_clk, a
# register for each argument at its offset, buffers with their interface. Errors of the scripts have
# the expected text.
. "$(dirname "$0")/common.sh"
need tclsh tcl
work=$out/u55c-hw
made=("$work/src/sources.f" "$out/generated/kernel.xml" "$out/generated/registers.tcl")
make_xclbin "${made[@]}" || finish "The sources for Vivado could not be made."
package() { tclsh tests/xclbin/run_package.tcl xclbin/gen_xo.tcl "$work/heddle_kernel.xo" "$@"; }

package "${made[@]}" >"$out/found" 2>&1 || wrong "$(cat "$out/found")"
{
    echo "xo heddle_kernel.xo heddle_kernel"
    grep -v '^//' rtl/heddle.f | sed 's|.*/||; s|^|file |'
    rows core_ports.def PORT | while read -r name _; do echo "clock $name ap_clk"; done
    echo "reset ap_clk ap_rst_n"
    printf 'register %s 32 -\n' "CTRL 0" "GIER 4" "IP_IER 8" "IP_ISR 12"
    rows core_regs.def ARG | while read -r _ offset name bits buffer _; do
        [ "$buffer" = 1 ] && port=m_axi_gmem || port=-
        echo "register $name $((offset)) $bits $port"
    done
    cat <<'END'
auto_family_support_level level_2
core_revision 1
ipi_drc ignore_freq_hz true
library kernel
name heddle_kernel
sdx_kernel true
sdx_kernel_type rtl
supported_families 
vendor heddle
version 1.0
vitis_drc ctrl_protocol ap_ctrl_hs
interface:s_axi_control,slave_memory_map_ref s_axi_control
parameters 0
checks -kernel
END
} >"$out/expected"
same "what gen_xo.tcl made" "$out/expected" "$out/found"

fails "no list of sources" "gen_xo.tcl: no file $out/none: run make" package "$out/none" \
    "${made[@]:1}"
fails "too few arguments" "usage: gen_xo.tcl OUT.xo SOURCES.f KERNEL.xml REGISTERS.tcl, not: " \
    package "${made[0]}"
mv "$work/src/sm_pick.sv" "$out/sm_pick.sv"
fails "a missing source" "no file $work/src/sm_pick.sv: run make" package "${made[@]}"
mv "$out/sm_pick.sv" "$work/src/sm_pick.sv"
sed 's/m_axi_gmem/m_axi_rings/g' "${made[2]}" >"$out/registers.tcl"
fails "a port that the RTL lacks" "Vivado finds no AXI interface m_axi_rings in heddle_kernel" \
    package "${made[@]:0:2}" "$out/registers.tcl"
sed 's/^set kernel_vlnv .*/set kernel_vlnv heddle:kernel:heddle_kernel:2.0/' "${made[2]}" \
    >"$out/registers.tcl"
fails "another version" "Vivado calls the IP heddle:kernel:heddle_kernel:1.0, kernel.xml says" \
    package "${made[@]:0:2}" "$out/registers.tcl"

# the stub notices slips of the pen
mkdir "$out/slips"
while IFS='|' read -r text change; do
    cp xclbin/gen_xo.tcl "$out/slips"
    sed "$change" xclbin/package_kernel.tcl >"$out/slips/package_kernel.tcl"
    cmp -s xclbin/package_kernel.tcl "$out/slips/package_kernel.tcl" &&
        wrong "$change changes nothing"
    fails "$change" "$text" tclsh tests/xclbin/run_package.tcl "$out/slips/gen_xo.tcl" \
        "$work/heddle_kernel.xo" "${made[@]}"
done <<'END'
unknown command ipx::add_registers|s/ipx::add_register \$name/ipx::add_registers $name/
add_files: unknown option -no_recurse|s/-norecurse/-no_recurse/
a core has no property sdx_kernels|s/set_property sdx_kernel true/set_property sdx_kernels true/
package_xo: not in state edited|/ipx::save_core/d; /close_project/d
a second register command_ring|s/    if {\$port ne ""} {/    add_register $block $name 0 1 x\n&/
END
finish "Mend xclbin/*.tcl; a command of Vivado that is new there goes into vivado_stub.tcl."
