# package_kernel.tcl - makes an IP of the kernel's sources, as v++ wants it; sourced by gen_xo.tcl.
# Names, ports, arguments and offsets are those of registers.tcl (kernel_name, kernel_vlnv,
# kernel_protocol, kernel_control, kernel_ports, kernel_args).
#
# Steps and properties are those that AMD documents for RTL kernels (UG1393 and UG1700, "Packaging
# RTL kernels"). v++ reads the arguments in kernel.xml; the registers of the IP say the same, and
# Vivado checks them.

# Absolute names of the sources that a list names.
proc read_sources {list_file} {
  set folder [file dirname [file normalize $list_file]]
  set channel [open $list_file]
  set names [split [string trim [read $channel]] "\n"]
  close $channel
  set sources {}
  foreach name $names { lappend sources [file join $folder $name] }
  return $sources
}

# Adds a register to a block: name, offset and width in bits. Returns it.
proc add_register {block name offset bits text} {
  set register [ipx::add_register $name $block]
  set_property description $text $register
  set_property address_offset $offset $register
  set_property size $bits $register
  return $register
}

# The four registers that ap_ctrl_hs prescribes.
proc add_control_registers {block} {
  set control [add_register $block CTRL 0x000 32 "control and status of ap_ctrl_hs"]
  foreach {name bit access} {
    AP_START 0 read-write
    AP_DONE  1 read-only
    AP_IDLE  2 read-only
    AP_READY 3 read-only
  } {
    set field [ipx::add_field $name $control]
    set_property bit_offset $bit $field
    set_property bit_width 1 $field
    set_property access $access $field
  }
  add_register $block GIER   0x004 32 "bit 0 enables interrupts"
  add_register $block IP_IER 0x008 32 "bit 0: interrupt when done, bit 1: when ready"
  add_register $block IP_ISR 0x00c 32 "pending interrupts; writing 1 toggles one"
}

# One register for each argument. Those of buffers name the port that reaches them.
proc add_argument_registers {block} {
  foreach argument $::kernel_args {
    lassign $argument name offset bits port text
    set register [add_register $block $name $offset $bits $text]
    if {$port ne ""} {
      set parameter [ipx::add_register_parameter ASSOCIATED_BUSIF $register]
      set_property value $port $parameter
    }
  }
}

# Every port that the tables name must have been found in the top module, and all are clocked by
# ap_clk.
proc associate_ports {core} {
  foreach port $::kernel_ports {
    set name [lindex $port 0]
    if {[ipx::get_bus_interfaces $name -of_objects $core] eq ""} {
      error "Vivado finds no AXI interface $name in $::kernel_name"
    }
    ipx::associate_bus_interfaces -busif $name -clock ap_clk $core
  }
  ipx::associate_bus_interfaces -clock ap_clk -reset ap_rst_n $core
}

# project: folder of a project, which nothing needs afterwards; ip: folder of the IP; both are made
# anew.
proc package_kernel {project ip sources} {
  foreach file $sources {
    if {![file exists $file]} { error "no file $file: run make" }
  }
  lassign [split $::kernel_vlnv :] vendor library
  file delete -force $project ${project}_edit $ip

  create_project -force heddle_kernel $project
  add_files -norecurse $sources
  set_property top $::kernel_name [current_fileset]
  update_compile_order -fileset sources_1
  ipx::package_project -root_dir $ip -vendor $vendor -library $library -taxonomy /KernelIP \
    -import_files -set_current false
  # What package_project made is edited in a project of its own: only there is it complete.
  ipx::unload_core $ip/component.xml
  ipx::edit_ip_in_project -upgrade true -name heddle_kernel_edit -directory ${project}_edit \
    $ip/component.xml
  set core [ipx::current_core]
  foreach part {vendor library name version} { lappend vlnv [get_property $part $core] }
  if {[join $vlnv :] ne $::kernel_vlnv} {
    error "Vivado calls the IP [join $vlnv :], kernel.xml says $::kernel_vlnv"
  }

  # The defaults in the sources count (flatten.awk), so that nobody can change them unnoticed.
  foreach parameter [ipx::get_user_parameters -of_objects $core] {
    ipx::remove_user_parameter [get_property name $parameter] $core
  }
  associate_ports $core

  set map [ipx::add_memory_map $::kernel_control $core]
  set block [ipx::add_address_block reg0 $map]
  add_control_registers $block
  add_argument_registers $block
  set_property slave_memory_map_ref $::kernel_control \
    [ipx::get_bus_interfaces $::kernel_control -of_objects $core]

  set_property core_revision 1 $core
  set_property supported_families {} $core
  set_property auto_family_support_level level_2 $core
  set_property sdx_kernel true $core
  set_property sdx_kernel_type rtl $core
  set_property vitis_drc [list ctrl_protocol $::kernel_protocol] $core
  set_property ipi_drc {ignore_freq_hz true} $core

  ipx::create_xgui_files $core
  ipx::update_checksums $core
  ipx::check_integrity -kernel $core
  ipx::save_core $core
  close_project -delete
}
