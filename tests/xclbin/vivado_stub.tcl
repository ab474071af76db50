# vivado_stub.tcl - the commands of Vivado that xclbin/*.tcl use, for tclsh. Each checks its options
# and objects, and files that it names must exist; anything else is an error with its name. What the
# commands made can be read in the variables of namespace stub.
#
# It knows no more of Vivado than those scripts need, and only what AMD's manuals say of it (UG835,
# UG1118, UG1393). A script that runs here has no slip of the pen; whether Vivado takes it, only
# Vivado can say.
namespace eval ipx {}
namespace eval stub {
  variable files {}        ;# sources that were added, in order
  variable clocks {}       ;# {port clock} pairs
  variable resets {}       ;# {clock reset} pairs
  variable registers {}    ;# {register port-or-empty} in the order in which they were made
  variable property        ;# array: object,name
  variable parameters {}   ;# of the IP's user
  variable ports {}        ;# AXI interfaces of the top module
  variable state none      ;# none, project, packaged, edited, saved
  variable checks {}       ;# integrity checks that were made
}

# Properties of each kind of object that the manuals name.
array set stub::known {
  fileset   {top}
  core      {vendor library name version core_revision supported_families
             auto_family_support_level sdx_kernel sdx_kernel_type vitis_drc ipi_drc}
  parameter {name}
  interface {slave_memory_map_ref}
  register  {description address_offset size}
  regparam  {value}
  field     {bit_offset bit_width access}
}

proc stub::fail {text} { return -code error -level 2 "stub of Vivado: $text" }

# Options of a command: flags take no value, values take one. Returns the dictionary of options and
# the other words; their number must be `number`.
proc stub::options {command words flags values number} {
  set options {}
  set rest {}
  for {set i 0} {$i < [llength $words]} {incr i} {
    set word [lindex $words $i]
    if {$word in $flags} {
      dict set options $word 1
    } elseif {$word in $values} {
      incr i
      if {$i >= [llength $words]} { fail "$command: $word without a value" }
      dict set options $word [lindex $words $i]
    } elseif {[string match {-[a-z]*} $word]} {
      fail "$command: unknown option $word"
    } else {
      lappend rest $word
    }
  }
  if {[llength $rest] != $number} {
    fail "$command: [llength $rest] words without an option, not $number: $words"
  }
  return [list $options $rest]
}
proc stub::kind {command object kinds} {
  if {![regexp {^([a-z]+):} $object - kind] || $kind ni $kinds} {
    fail "$command: '$object' is no object of kind $kinds"
  }
}
proc stub::in_state {command states} {
  variable state
  if {$state ni $states} { fail "$command: not in state $state" }
}
proc stub::exists {command file} {
  if {![file exists $file]} { fail "$command: no file $file" }
}

proc unknown {args} { return -code error "stub of Vivado: unknown command [lindex $args 0]" }

# ---------------------------------------------------------------- projects and properties
proc create_project {args} {
  stub::in_state create_project none
  lassign [stub::options create_project $args -force {-part} 2] - names
  file mkdir [lindex $names 1]
  set stub::state project
}
proc add_files {args} {
  stub::in_state add_files project
  lassign [stub::options add_files $args -norecurse {-fileset} 1] - names
  foreach file [lindex $names 0] {
    stub::exists add_files $file
    if {$file in $stub::files} { stub::fail "add_files: $file was added before" }
    lappend stub::files $file
  }
}
proc current_fileset {} {
  stub::in_state current_fileset {project packaged}
  return fileset:sources_1
}
proc update_compile_order {args} {
  stub::in_state update_compile_order project
  stub::options update_compile_order $args {} -fileset 0
}
proc set_property {name value object} {
  set kind [lindex [split $object :] 0]
  if {![info exists stub::known($kind)]} { stub::fail "set_property $name: no object '$object'" }
  if {$name ni $stub::known($kind)} { stub::fail "set_property: a $kind has no property $name" }
  set stub::property($object,$name) $value
}
proc get_property {name object} {
  if {![info exists stub::property($object,$name)]} {
    stub::fail "get_property: $object has no property $name"
  }
  return $stub::property($object,$name)
}
proc close_project {args} {
  stub::in_state close_project saved
  stub::options close_project $args -delete {} 0
}

# ---------------------------------------------------------------- the IP
# The module `top` of the sources: its parameters, and its AXI interfaces by the names of its ports.
proc stub::read_top {top} {
  variable files
  variable ports
  variable parameters
  variable property
  foreach file $files {
    set channel [open $file]
    set text [read $channel]
    close $channel
    if {![regexp "\nmodule $top\\M" $text]} continue
    foreach {- name} [regexp -all -inline {\n *parameter +([A-Z_0-9]+) *=} $text] {
      if {"parameter:$name" ni $parameters} { lappend parameters parameter:$name }
      set property(parameter:$name,name) $name
    }
    foreach {- name} [regexp -all -inline {put +wire[^\n]* ([sm]_axi_[a-z0-9]+)_[a-z]+,?\n} $text] {
      if {$name ni $ports} { lappend ports $name }
    }
    return
  }
  fail "ipx::package_project: no source has the module $top"
}
proc ipx::package_project {args} {
  stub::in_state ipx::package_project project
  lassign [stub::options ipx::package_project $args -import_files \
    {-root_dir -vendor -library -taxonomy -set_current} 0] options
  if {![info exists stub::property(fileset:sources_1,top)]} {
    stub::fail "ipx::package_project: no top module is set"
  }
  set top $stub::property(fileset:sources_1,top)
  stub::read_top $top
  foreach {name value} [list vendor [dict get $options -vendor] library \
    [dict get $options -library] name $top version 1.0] {
    set stub::property(core:1,$name) $value
  }
  file mkdir [dict get $options -root_dir]
  close [open [file join [dict get $options -root_dir] component.xml] w]
  set stub::state packaged
}
proc ipx::unload_core {file} {
  stub::in_state ipx::unload_core packaged
  stub::exists ipx::unload_core $file
}
proc ipx::edit_ip_in_project {args} {
  stub::in_state ipx::edit_ip_in_project packaged
  lassign [stub::options ipx::edit_ip_in_project $args {} {-upgrade -name -directory} 1] - names
  stub::exists ipx::edit_ip_in_project [lindex $names 0]
  set stub::state edited
}
proc ipx::current_core {} {
  stub::in_state ipx::current_core edited
  return core:1
}
proc ipx::get_user_parameters {args} {
  stub::options ipx::get_user_parameters $args {} -of_objects 0
  return $stub::parameters
}
proc ipx::remove_user_parameter {name core} {
  stub::kind ipx::remove_user_parameter $core core
  set at [lsearch -exact $stub::parameters parameter:$name]
  if {$at < 0} { stub::fail "ipx::remove_user_parameter: no parameter $name" }
  set stub::parameters [lreplace $stub::parameters $at $at]
}
proc ipx::get_bus_interfaces {args} {
  lassign [stub::options ipx::get_bus_interfaces $args {} -of_objects 1] options names
  stub::kind ipx::get_bus_interfaces [dict get $options -of_objects] core
  set name [lindex $names 0]
  return [expr {$name in $stub::ports ? "interface:$name" : ""}]
}
proc ipx::associate_bus_interfaces {args} {
  lassign [stub::options ipx::associate_bus_interfaces $args {} {-busif -clock -reset} 1] \
    options core
  stub::kind ipx::associate_bus_interfaces $core core
  set clock [dict get $options -clock]
  if {[dict exists $options -busif]} {
    set port [dict get $options -busif]
    if {$port ni $stub::ports} { stub::fail "ipx::associate_bus_interfaces: no interface $port" }
    lappend stub::clocks [list $port $clock]
  }
  if {[dict exists $options -reset]} {
    lappend stub::resets [list $clock [dict get $options -reset]]
  }
}
proc ipx::add_memory_map {name core} {
  stub::kind ipx::add_memory_map $core core
  return map:$name
}
proc ipx::add_address_block {name map} {
  stub::kind ipx::add_address_block $map map
  return block:$name
}
proc ipx::add_register {name block} {
  stub::kind ipx::add_register $block block
  if {[lsearch -exact -index 0 $stub::registers $name] >= 0} {
    stub::fail "ipx::add_register: a second register $name"
  }
  lappend stub::registers [list $name]
  return register:$name
}
proc ipx::add_field {name register} {
  stub::kind ipx::add_field $register register
  return field:$name
}
proc ipx::add_register_parameter {name register} {
  stub::kind ipx::add_register_parameter $register register
  if {$name ne "ASSOCIATED_BUSIF"} {
    stub::fail "ipx::add_register_parameter: $name means nothing to v++"
  }
  return regparam:[lindex [split $register :] 1]
}
proc ipx::create_xgui_files {core} { stub::kind ipx::create_xgui_files $core core }
proc ipx::update_checksums {core} { stub::kind ipx::update_checksums $core core }
proc ipx::check_integrity {args} {
  lassign [stub::options ipx::check_integrity $args {-kernel -xrt} {} 1] options
  lappend stub::checks {*}[dict keys $options]
}
proc ipx::save_core {core} {
  stub::kind ipx::save_core $core core
  set stub::state saved
}
proc package_xo {args} {
  stub::in_state package_xo saved
  lassign [stub::options package_xo $args -force \
    {-xo_path -kernel_name -ip_directory -kernel_xml -ctrl_protocol} 0] options
  stub::exists package_xo [file join [dict get $options -ip_directory] component.xml]
  stub::exists package_xo [dict get $options -kernel_xml]
  if {[file exists [dict get $options -xo_path]]} { stub::fail "package_xo: the .xo exists" }
  close [open [dict get $options -xo_path] w]
  puts "xo [file tail [dict get $options -xo_path]] [dict get $options -kernel_name]"
}
