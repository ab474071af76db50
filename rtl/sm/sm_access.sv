/// Memory stage: what becomes of a line that is looked up in L1.
///
/// A load that L1 does not have in full waits in an MSHR, and asks the network for what is not on
/// its way. All else goes to the network. A load that finds no MSHR stalls the stage, and so does
/// all else when too many of the SM's requests that L1 does not keep are unanswered.
/// Latency: none; no registers. Throughput: a line each clock.
/// Rules: act_line_i says that there is a line.
`include "sm_parameters.svh"
module sm_access #(`SM_PARAMETERS) (
  input  logic        act_line_i,     /// a line is looked up:
  input  logic [3:0]  act_mem_i,      /// for an operation of this kind,
  input  logic [3:0]  act_sectors_i,  /// sectors that it touches,
  input  logic [3:0]  act_valid_i,    /// that L1 has,
  input  logic [3:0]  act_under_way_i, /// that are on their way,
  input  logic [3:0]  act_there_i,    /// that have come for the MSHR to join
  input  logic        act_join_i, act_free_i,  /// there is an MSHR to join, a free one
  input  logic        act_full_i,     /// too many requests are unanswered
  output logic        act_stall_o,    /// the operation stalls,
  output logic        act_for_port_o, /// for an answer
  output logic        act_done_o,     /// the line is done
  output logic        act_load_o,     /// and counts in the statistics of L1,
  output logic        act_clear_o,    /// sectors in L1 are no longer valid
  output logic        act_keep_o,     /// an MSHR waits,
  output logic [3:0]  act_missing_o,  /// for these sectors
  output logic [3:0]  act_send_o      /// sectors that are asked for, or sent
);
`include "heddle_import.svh"
  logic load, cached;
  always_comb begin : access
    act_stall_o    = 1'b0;
    act_for_port_o = 1'b0;
    act_done_o     = 1'b0;
    act_load_o     = 1'b0;
    act_clear_o    = 1'b0;
    act_keep_o     = 1'b0;
    act_missing_o  = '0;
    act_send_o     = '0;
    load           = 1'b0;
    cached         = 1'b0;
    if (act_line_i) begin
      load           = act_mem_i == MemLoad;
      act_missing_o  = load ? act_sectors_i & ~act_valid_i : act_sectors_i;
      cached         = load && act_missing_o != '0;
      act_for_port_o = !load && act_full_i;
      act_stall_o    = act_for_port_o || (cached && !act_join_i && !act_free_i);
      act_done_o     = !act_stall_o;
      act_load_o     = load && act_done_o;
      act_clear_o    = !load && act_done_o && act_mem_i != MemStore
                       && (act_valid_i & act_sectors_i) != '0;
      act_keep_o     = cached && act_done_o;
      if (act_done_o)
        act_send_o = !cached ? act_missing_o
                             : act_missing_o & ~act_under_way_i & ~(act_join_i ? act_there_i : '0);
    end
  end
endmodule
