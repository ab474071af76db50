# gen_xo.tcl - packages the kernel for v++:
#
#   vivado -mode batch -source gen_xo.tcl -tclargs OUT.xo SOURCES.f KERNEL.xml REGISTERS.tcl
#
# SOURCES.f: names of the sources in order, beside it (flatten.awk). KERNEL.xml and REGISTERS.tcl:
# from gen_kernel. It leaves folders ip and project beside OUT.xo. An error ends Vivado with status
# 1.
if {$argc != 4} {
  error "usage: gen_xo.tcl OUT.xo SOURCES.f KERNEL.xml REGISTERS.tcl, not: $argv"
}
lassign $argv xo sources kernel_xml registers
foreach file [list $sources $kernel_xml $registers] {
  if {![file exists $file]} { error "gen_xo.tcl: no file $file: run make" }
}
source [file join [file dirname [file normalize [info script]]] package_kernel.tcl]
source $registers

set work [file dirname [file normalize $xo]]
set ip [file join $work ip]
package_kernel [file join $work project] $ip [read_sources $sources]

file delete -force $xo
package_xo -xo_path $xo -kernel_name $kernel_name -ip_directory $ip -kernel_xml $kernel_xml
