/// Stage choose: the warp that was picked issues if it can issue inside the window.
///
/// A visit that issues nothing ends here: the sub-core's bound moves on, or the sub-core stands
/// still because a warp has no packets. A micro-operation whose credit lets an operation of another
/// warp into the address unit becomes two visits: this one for that warp, a second one (again_o)
/// for the warp that it was meant for.
/// Latency: none, no state. Throughput: a visit each clock.
/// Rules: outputs mean something when their valid is high (go_o, mark_o, again_o).
`include "sm_parameters.svh"
module sm_choose #(`SM_PARAMETERS) (
  input  logic                valid_i,       /// a visit,
  input  logic                issue_i,       /// that may issue
  input  logic [IdW-1:0]      id_i,
  input  logic [ArgW-1:0]     arg_i,
  input  logic [TimeW-1:0]    at_i,          /// the time that distances count from
  input  logic [TimeW-1:0]    end_i,         /// end of its SM's short window
  // of sm_pick
  input  logic [7:0]          rel_i,         /// distance of the first warp
  input  logic [WarpBits-1:0] warp_i,        /// this one
  input  logic                ready_i,       /// it has an instruction
  // of sm_mio
  input  logic                queued_i,      /// an operation waits for a credit,
  input  logic [WarpBits-1:0] late_warp_i,   /// of this warp,
  input  logic [2:0]          late_bar_i,    /// its counter of operands

  output logic                go_o,          /// the visit goes on,
  output logic [IdW-1:0]      id_o,          /// to this warp,
  output logic [ArgW-1:0]     arg_o,
  output logic [TimeW-1:0]    at_o,
  output logic                late_o,        /// with the credit of an operation that waits,
  output logic [2:0]          late_bar_o,

  output logic                mark_o,        /// the sub-core was looked at:
  output logic [TimeW:0]      bound_o,       /// it has work from,
  output logic                runnable_o,    /// inside the window
  output logic                starved_o,     /// stands still for want of packets

  output logic                again_o,       /// a second visit is needed, to the warp of id_i,
  output logic [ArgW-1:0]     again_arg_o
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"

  arg_t arg, again_arg;
  logic late, split;
  assign arg   = arg_i;
  assign late  = valid_i && arg.credit && queued_i;
  assign split = late && late_bar_i != NoBar;

  assign late_o      = late;
  assign late_bar_o  = late ? late_bar_i : NoBar;
  assign id_o        = {id_i[IdW-1:WarpBits], issue_i ? warp_i : split ? late_warp_i
                                                                : id_i[WarpBits-1:0]};
  assign again_o     = split && (arg.bar != NoBar || arg.lines != '0);
  assign again_arg_o = again_arg;

  always_comb begin : args
    again_arg        = arg;
    again_arg.credit = 1'b0;
    arg_o            = arg_i;
    // operands of the operation that waited are read: its counter, one less, at a time
    if (split) arg_o = {late_bar_i, 7'h7f, 1'b1, 1'b1, arg.micro && !again_o, 6'd0, arg.cta};
  end

  always_comb begin : choose
    logic in_window;
    go_o       = valid_i;
    at_o       = at_i;
    mark_o     = 1'b0;
    bound_o    = 'x;
    runnable_o = 1'bx;
    starved_o  = 1'b0;
    in_window  = 1'bx;
    if (issue_i) begin
      at_o       = at_i + TimeW'(rel_i);
      in_window  = rel_i < Far && earlier(at_o, end_i);
      go_o       = in_window && ready_i;
      mark_o     = 1'b1;
      bound_o    = go_o ? {1'b0, TimeW'(at_o + 1'b1)} : {rel_i == Blocked, at_o};
      runnable_o = go_o ? earlier(at_o + 1'b1, end_i) : rel_i == Far && earlier(at_o, end_i);
      starved_o  = in_window && !ready_i;
    end
  end
endmodule
