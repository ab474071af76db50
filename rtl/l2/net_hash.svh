// Where a line lives: slice, number of the slice here, set. docs/timing-model.md rule 9.

/// the slice of a line, global number; of line_high, `low_part` are the low bits of low_part_of and
/// `quotient` is quotient_of: a stage each
function automatic logic [7:0] slice_of(input logic [31:0] line, input logic [7:0] low_part,
                                        input logic [7:0] quotient);
  logic [31:0] left, low;
  low = line;
  if (fold_q) begin
    left = line;
    low  = '0;
    for (int i = 0; i < 8; i++) begin
      low  = low ^ left;
      left = left >> field_bits_q;
      left = left >> 4;
    end
  end
  low      = low & ((32'd1 << twos_q) - 1'b1);
  slice_of = 8'(remainder_of(low_part, quotient) << twos_q) | low[7:0];
endfunction

/// a line without what the power of two in the number of slices decides
function automatic logic [31:0] line_high(input logic [31:0] line);
  line_high = line >> twos_q;
endfunction

/// the slice of the same lines in the other partition
function automatic logic [7:0] mirror_of(input logic [7:0] slice);
  mirror_of = slice < 8'(half_q) ? slice + 8'(half_q) : slice - 8'(half_q);
endfunction

/// where a request of an SM goes: with two partitions to a slice of its own; SMs belong to them in
/// turn by pairs, as bit 1 of their number says
function automatic logic [7:0] entry_of(input logic [7:0] slice, input logic partition);
  entry_of = slice;
  if (two_q && (slice >= 8'(half_q)) != partition) entry_of = mirror_of(slice);
endfunction

/// number here of a slice of this instance, and the other way round
function automatic slice_t local_slice(input logic [7:0] slice);
  local_slice = SliceBits'(instances_q == 8'd1 ? slice : by_instances(slice));
endfunction

function automatic logic [7:0] global_slice(input slice_t slice);
  global_slice = instances_q == 8'd1 ? 8'(slice) : 8'(slice) * instances_q + instance_q;
endfunction

/// what of a line decides its set: this modulo the number of sets
function automatic logic [9:0] row_fold(input logic [31:0] line);
  logic [25:0] high;
  high     = 26'(line >> 6);
  row_fold = high[9:0] ^ high[19:10] ^ {4'd0, high[25:20]};
endfunction

/// the row of a line in the memories of the sets, slice * sets + the remainder; `quotient` is
/// by_sets of row_fold: a stage of its own
function automatic row_t row_of(input slice_t slice, input logic [31:0] line,
                                input logic [9:0] quotient);
  row_of = (RowBits'(slice) - RowBits'(quotient)) * RowBits'(sets_q) + RowBits'(row_fold(line));
endfunction
