// What the modules have in common that join several pairs of engines: SMs and slices divide among
// Groups pairs, as among the instances of the host. An instance number of the host is the low
// host_shift bits of a number, its group the next ones, and the rest its number in the group.
/* verilator lint_off UNUSEDPARAM */        // not every module uses all of them
localparam int GroupBits = $clog2(Groups);
/* verilator lint_on UNUSEDPARAM */

/// the group of an SM or a slice
function automatic logic [GroupBits-1:0] group_of(input logic [7:0] number,
                                                  input logic [2:0] host_shift);
  group_of = GroupBits'(number >> host_shift);
endfunction

/// the GPU's number of an SM of a group, in this instance of the host
function automatic logic [7:0] number_of(input logic [7:0] sm, input logic [GroupBits-1:0] group,
                                         input logic [2:0] host_shift,
                                         input logic [7:0] instance_number);
  number_of = (((sm << GroupBits) | 8'(group)) << host_shift) | instance_number;
endfunction

/// whose turn it is: the next one of `wanted` behind the last one that had it
function automatic logic [GroupBits-1:0] turn_of(input logic [Groups-1:0] wanted,
                                                 input logic [GroupBits-1:0] last);
  logic [GroupBits-1:0] at;
  turn_of = last;
  for (int k = Groups - 1; k > 0; k--) begin
    at = last + GroupBits'(k);
    if (wanted[at]) turn_of = at;
  end
endfunction
