/// FlushL2: all sets are emptied, one after another; what is dirty leaves for memory. Also the
/// emptying before the sets are used first, or after a parameter changed where lines live: then
/// nobody looks at what they hold. And UnpinL2, which goes through the sets in the same way, and
/// takes away pins alone.
///
/// It begins with the number of slices of this instance, and with checks: there must be a row
/// for every set; with two partitions a line's two slices must be in one instance. Steps of a
/// set: read, ways (which are dirty), pick (the next of these), scan (it leaves; or the set is
/// emptied when there is none). Pipelined, each takes a clock, else all share one.
/// Latency: four clocks to the first set.
/// Throughput: a set in four clocks, an event in two; without Pipelined one each clock.
/// Rules: start_i and unclear_i come while not busy_o. Parameters do not change while busy_o.
`include "heddle_macros.svh"
`include "cell/stage.svh"
`include "heddle_assert.svh"
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
/* verilator lint_off BLKSEQ */  // the clock of the rules
module net_flush #(
  parameter int RowBits   = 15,               // log2 of the sets
  parameter bit Pipelined = `HEDDLE_PIPELINED
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  output logic               busy_o,
  output logic               clear_o,         /// sets must be emptied before use
  output logic [heddle_pkg::FaultW-1:0] fault_o,

  input  logic               start_i,
  input  logic               unpin_i,         /// with it, unless clear_o: UnpinL2
  input  logic               unclear_i,       /// a parameter has changed: clear_o

  // parameters
  input  logic [7:0]         num_slices_i,
  input  logic [7:0]         instances_i,
  input  logic [7:0]         instance_i,
  input  logic [16:0]        instance_inv_i,
  input  logic [9:0]         sets_i,
  input  logic               two_i,
  input  logic [6:0]         half_i,

  // to net_tags.sv
  output logic               read_o,
  output logic [RowBits-1:0] row_o,
  input  logic [15:0]        dirty_i,
  output logic               pick_o,
  output logic [3:0]         way_o,
  output logic               empty_o,         /// of all that it has,
  output logic               unpin_o,         /// with it or alone: of pins
  input  logic [3:0]         out_dirty_i,

  // to net_events.sv
  output logic               write_o,
  output logic [7:0]         global_o,        /// the slice
  input  logic               ready_i,
  output logic [3:0]         counts_o         /// in the clock after: the sectors
);
`include "heddle_import.svh"
`include "net_where.svh"
  typedef enum logic [2:0] {
    FlushNone, FlushDivide, FlushCheck, FlushJudge, FlushRead, FlushWays, FlushPick, FlushScan
  } flush_e;
  localparam flush_e FlushSet = Pipelined ? FlushRead : FlushScan;  // where a set begins
  localparam int NumRows = 1 << RowBits;

  flush_e      state_q;
  logic        only_q;                        // nobody looks at the sets
  logic        unpin_q;                       // only pins end
  logic [7:0]  slices_q, half_quotient_q;     // slices here; half_i / instances
  logic [17:0] rows_q;                        // of all slices here
  logic        odd_half_q;                    // half_i is no multiple of the instances
  logic [7:0]  slice_q;                       // the set: slice here, ...
  logic [9:0]  set_q;
  logic [15:0] told_q;                        // ways that have left
  logic [15:0] left;
  logic        scans, some, last_set, last;

  /// number of the lowest way of a set
  function automatic logic [3:0] lowest16(input logic [15:0] ways);
    logic [15:0] one;
    one      = ways & (~ways + 1'b1);
    lowest16 = {|(one & 16'hff00), |(one & 16'hf0f0), |(one & 16'hcccc), |(one & 16'haaaa)};
  endfunction

  assign busy_o   = state_q != FlushNone;
  assign scans    = state_q == FlushScan;
  assign read_o   = Pipelined ? state_q == FlushRead : scans;
  assign pick_o   = some && (Pipelined ? state_q == FlushPick : scans);
  assign write_o  = some && scans && ready_i;
  assign unpin_o  = !some && scans;
  assign empty_o  = unpin_o && !unpin_q;
  assign some     = (Pipelined || scans) && left != '0;

  always_comb begin : next_way
    if (`WANTED(scans)) begin
      left     = only_q ? 16'd0 : dirty_i & ~told_q;
      way_o    = lowest16(left);
      last_set = set_q + 1'b1 == sets_i;
      last     = last_set && slice_q + 8'd1 == slices_q;
    end
  end

  always_ff @(posedge clk_i) begin : flush
    if (!rst_ni) begin
      state_q  <= FlushNone;
      clear_o  <= 1'b1;
      slices_q <= '0;
      fault_o  <= FaultNone;
      counts_o <= '0;
    end else if (start_i || unclear_i || busy_o || counts_o != '0) begin
      counts_o <= write_o ? out_dirty_i : 4'd0;
      if (unclear_i) clear_o <= 1'b1;
      case (state_q)
        FlushNone:
          if (start_i) begin
            only_q  <= clear_o || unpin_i;
            unpin_q <= !clear_o && unpin_i;
            state_q <= FlushDivide;
          end
        FlushDivide: begin
          slices_q        <= by_instances(num_slices_i + instances_i - instance_i - 8'd1,
                                          instance_inv_i);
          half_quotient_q <= by_instances(8'(half_i), instance_inv_i);
          state_q         <= FlushCheck;
        end
        FlushCheck: begin
          rows_q     <= 18'(slices_q) * 18'(sets_i);
          odd_half_q <= half_quotient_q * instances_i != 8'(half_i);
          state_q    <= FlushJudge;
        end
        FlushJudge: begin
          row_o    <= '0;
          slice_q  <= '0;
          set_q    <= '0;
          told_q   <= '0;
          global_o <= instance_i;
          state_q  <= rows_q == '0 ? FlushNone : FlushSet;
          if (rows_q == '0) clear_o <= 1'b0;  // no slice is here
          if (32'(rows_q) > NumRows || (two_i && (num_slices_i[0] || odd_half_q))) begin
            fault_o <= FaultParameter;
            state_q <= FlushNone;
          end
        end
        FlushRead: state_q <= FlushWays;
        FlushWays: state_q <= FlushPick;
        FlushPick: state_q <= FlushScan;
        default:
          if (write_o) begin
            told_q <= told_q | (left & ~(left - 1'b1));
            if (Pipelined) state_q <= FlushPick;
          end else if (unpin_o) begin
            told_q  <= '0;
            row_o   <= row_o + 1'b1;
            set_q   <= last_set ? 10'd0 : set_q + 1'b1;
            state_q <= last ? FlushNone : FlushSet;
            if (last_set) begin
              slice_q  <= slice_q + 8'd1;
              global_o <= global_o + instances_i;
            end
            if (last) clear_o <= 1'b0;
          end
      endcase
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;
  logic        in_set;
  assign in_set = state_q inside {FlushRead, FlushWays, FlushPick, FlushScan};

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT_IF(FlushStart, start_i || unclear_i, !busy_o)
      `ASSERT_IF(FlushSlice, in_set, slice_q < slices_q)
      `ASSERT_IF(FlushSets, in_set, set_q < sets_i)
      `ASSERT_IF(FlushRow, in_set, 32'(row_o) == 32'(slice_q) * 32'(sets_i) + 32'(set_q))
      `ASSERT_IF(FlushGlobal, in_set, global_o == 8'(slice_q * instances_i + instance_i))
      `ASSERT_IF(FlushTold, in_set, only_q || (told_q & ~dirty_i) == '0
                                    || state_q == FlushRead || state_q == FlushWays)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
