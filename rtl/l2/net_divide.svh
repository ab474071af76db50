// Division by parameters: by the odd factor of the number of slices, by that of sets, of instances.
//
// A Set of one of them makes its reciprocal, a bit per clock, so that a division is then a product:
// for x < 2^n and a divisor d <= 2^k, floor(x / d) = (x * (floor(2^(n+k) / d) + 1)) >> (n + k).
localparam int SliceInvW    = 31;           // n = 23, k = 7: slice_of
localparam int SetInvW      = 21;           // n = 10, k = 10: row_of
localparam int InstanceInvW = 17;           // n = 8, k = 8: instances
localparam int DefaultOdd   = DefaultNumSlices / (DefaultNumSlices & (~DefaultNumSlices + 1));

task automatic reset_divide();
  divide_q       `Q DivideNone;
  slice_inv_q    `Q SliceInvW'((1 << (SliceInvW - 1)) / DefaultOdd + 1);
  slice_wrap_q   `Q 8'(65536 % DefaultOdd);
  set_inv_q      `Q SetInvW'((1 << (SetInvW - 1)) / DefaultL2Sets + 1);
  instance_inv_q `Q InstanceInvW'((1 << (InstanceInvW - 1)) / DefaultInstances + 1);
endtask

// The reciprocal of `by`: `bits` bits.
task automatic start_divide(input divide_e what, input logic [4:0] bits, input logic [9:0] by);
  divide_q       `Q what;
  divide_left_q  `Q bits;
  divide_by_q    `Q by;
  divide_first_q `Q 1'b1;
  divide_rest_q  `Q '0;
endtask

// A bit of 1000...0 / by.
task automatic divide();
  logic [10:0]          rest;
  logic                 more;
  logic [SliceInvW-1:0] inv;
  if (divide_q != DivideNone) begin
    busy_d = 1'b1;
    rest   = {divide_rest_q, divide_first_q};
    more   = rest >= {1'b0, divide_by_q};
    if (more) rest = rest - {1'b0, divide_by_q};
    inv    = {divide_inv_q, more};
    divide_first_q `Q 1'b0;
    divide_rest_q  `Q rest[9:0];
    divide_inv_q   `Q inv[SliceInvW-2:0];
    if (divide_q == DivideSlices && 32'(divide_left_q) == SliceInvW - 16) slice_wrap_q `Q rest[7:0];
    if (divide_left_q == 5'd1) begin
      inv = inv + 1'b1;
      case (divide_q)
        DivideSlices: slice_inv_q `Q inv;
        DivideSets:   set_inv_q   `Q inv[SetInvW-1:0];
        default:      instance_inv_q `Q inv[InstanceInvW-1:0];
      endcase
      divide_q `Q DivideNone;
    end
    divide_left_q `Q divide_left_q - 1'b1;
  end
endtask

/// x modulo the odd factor of the number of slices, in three steps, a stage each: a smaller number
/// with the same remainder, ...
function automatic logic [22:0] low_part_of(input logic [31:0] x);
  low_part_of = 23'(x[31:16]) * 23'(slice_wrap_q) + 23'(x[15:0]);
endfunction

/// ... its quotient, ...
function automatic logic [7:0] quotient_of(input logic [22:0] low_part);
  quotient_of = 8'((54'(low_part) * 54'(slice_inv_q)) >> (SliceInvW - 1));
endfunction

/// ... the remainder, from the low bits of the smaller number
function automatic logic [7:0] remainder_of(input logic [7:0] low_part,
                                            input logic [7:0] quotient);
  remainder_of = low_part - quotient * odd_q;
endfunction

/// x divided by the number of sets
function automatic logic [9:0] by_sets(input logic [9:0] x);
  by_sets = 10'((32'(x) * 32'(set_inv_q)) >> (SetInvW - 1));
endfunction

/// x divided by the number of instances
function automatic logic [7:0] by_instances(input logic [7:0] x);
  by_instances = 8'((25'(x) * 25'(instance_inv_q)) >> (InstanceInvW - 1));
endfunction
