// Where a line lives: slice, number of the slice here, set (docs/timing-model.md rule 9); and the
// divisions for that, which are products with the reciprocals of net_reciprocal.sv.
//
// A module that includes this has the parameters it needs as ports or registers.
/* verilator lint_off UNUSEDPARAM */        // not every module uses all of them
localparam int SliceInvW    = 31;           // n = 23, k = 7
localparam int SetInvW      = 21;           // n = 10, k = 10
localparam int InstanceInvW = 17;           // n = 8, k = 8
/* verilator lint_on UNUSEDPARAM */

/// A slice has lines that lie one behind another, aligned: 1, 2 or 4. The rules below take the
/// number of such a group for the line.
function automatic logic [31:0] group_of(input logic [31:0] line, input logic [1:0] interleave);
  group_of = line >> interleave;
endfunction

/// x modulo the odd factor of the number of slices, in three steps, a stage each: a smaller number
/// with the same remainder, ...
function automatic logic [22:0] low_part_of(input logic [31:0] x, input logic [7:0] slice_wrap);
  low_part_of = 23'(x[31:16]) * 23'(slice_wrap) + 23'(x[15:0]);
endfunction

/// ... its quotient, ...
function automatic logic [7:0] quotient_of(input logic [22:0] low_part,
                                           input logic [SliceInvW-1:0] slice_inv);
  quotient_of = 8'((54'(low_part) * 54'(slice_inv)) >> (SliceInvW - 1));
endfunction

/// ... the remainder, from the low bits of the smaller number
function automatic logic [7:0] remainder_of(input logic [7:0] low_part, input logic [7:0] quotient,
                                            input logic [7:0] odd);
  remainder_of = low_part - quotient * odd;
endfunction

/// x divided by the number of instances
function automatic logic [7:0] by_instances(input logic [7:0] x,
                                            input logic [InstanceInvW-1:0] instance_inv);
  by_instances = 8'((25'(x) * 25'(instance_inv)) >> (InstanceInvW - 1));
endfunction

/// the low bits of a line's slice: with `fold` of all its fields
function automatic logic [7:0] slice_low_of(input logic [31:0] line, input logic fold,
                                            input logic [1:0] field_bits, input logic [2:0] twos);
  logic [31:0] left, low;
  low = line;
  if (fold) begin
    left = line;
    low  = '0;
    for (int i = 0; i < 8; i++) begin
      low  = low ^ left;
      left = left >> field_bits;
      left = left >> 4;
    end
  end
  low          = low & ((32'd1 << twos) - 1'b1);
  slice_low_of = low[7:0];
endfunction

/// a line without what the power of two in the number of slices decides: its slice's high bits are
/// this modulo the odd factor
function automatic logic [31:0] line_high(input logic [31:0] line, input logic [2:0] twos);
  line_high = line >> twos;
endfunction

/// the slice of the same lines in the other partition
function automatic logic [7:0] mirror_of(input logic [7:0] slice, input logic [6:0] half);
  mirror_of = slice < 8'(half) ? slice + 8'(half) : slice - 8'(half);
endfunction
