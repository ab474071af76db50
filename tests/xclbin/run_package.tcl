# run_package.tcl SCRIPT ARGUMENT... - runs a script of xclbin on the stub of Vivado, and prints
# what it made, a line each. An error of the script ends it with status 1 and its message.
source [file join [file dirname [info script]] vivado_stub.tcl]
set script [lindex $argv 0]
set argv [lrange $argv 1 end]
set argc [llength $argv]
if {[catch { source $script } message]} {
  puts stderr "ERROR: $message"
  exit 1
}
foreach file $stub::files { puts "file [file tail $file]" }
foreach pair $stub::clocks { puts "clock $pair" }
foreach pair $stub::resets { puts "reset $pair" }
foreach register $stub::registers {
  set object register:[lindex $register 0]
  set busif -
  if {[info exists stub::property(regparam:[lindex $register 0],value)]} {
    set busif $stub::property(regparam:[lindex $register 0],value)
  }
  puts "register [lindex $register 0] [expr {[get_property address_offset $object]}]\
    [get_property size $object] $busif"
}
foreach name [lsort [array names stub::property core:*]] {
  puts "[string range $name 7 end] $stub::property($name)"
}
foreach name [lsort [array names stub::property interface:*]] {
  puts "$name $stub::property($name)"
}
puts "parameters [llength $stub::parameters]"
puts "checks $stub::checks"
