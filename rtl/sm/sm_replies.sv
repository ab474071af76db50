/// Memory stage: replies of the network to an SM, and its reply port.
///
/// A reply occupies the port for as long as its sectors take, and takes effect fill_delay later.
/// Latency: none beside that of the stages. Throughput: a visit each clock.
/// Rules: as sm_passes. The reply shown of an SM changes by a pop alone.
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
module sm_replies #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic [TimeW-1:0]    fill_delay_i,  /// parameters
  input  logic [2:0]          reply_rate_i,
  input  logic                scrub_all_i,
  input  logic [TimeW-1:0]    scrub_floor_i,

  /* verilator lint_off UNUSEDSIGNAL */      // not used when Pipelined
  input  logic                visit_i,       /// there is a visit, without registers between
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [SmBits-1:0]   hed_sm_i, act_sm_i,
  // the reply that the network shows in stage nxt
  input  logic                nxt_valid_i,
  input  logic [63:0]         nxt_reply_i,   /// word reply
  // when it takes effect; in a visit that goes on with a reply, that one
  output logic [TimeW:0]      kin_fill_o,    /// bound_t
  output logic [8:0]          mis_mshr_o,    /// its MSHR: {line of code, set, entry}
  output logic                act_code_o,    /// a line of code,
  output logic                act_cached_o,  /// its line is kept
  output logic [5:0]          mis_warp_o, act_warp_o,      /// its warp, or set of the line of code
  output logic [2:0]          act_bar_o,     /// its counter
  output logic [3:0]          act_come_o,    /// its sectors
  output logic [TimeW-1:0]    act_fill_o,    /// when it takes effect
  input  logic                act_reply_i,   /// it is taken
  input  logic                act_scrub_i,
  input  logic                init_i,
  input  logic [SmBits-1:0]   init_sm_i,
  input  logic [3:0]          cmp_more_i     /// the visit goes on, pass_e
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
`include "scrub_times.svh"
  time_t  enter_mem [MaxSm];                 // the port is free at

  /* verilator lint_off UNUSEDSIGNAL */      // a part
  reply_t hed_reply, cmp_reply;
  /* verilator lint_on UNUSEDSIGNAL */
  logic   hed_valid, cmp_valid;
  time_t  cmp_enter, cmp_fill;
  bound_t pck_fill, kin_fill;
  `STAGE(hed_valid, nxt_valid_i)
  `STAGE_WANTED(hed_reply, nxt_reply_i, visit_i)
  `STAGE(cmp_valid, hed_valid)
  `STAGE(cmp_reply, hed_reply)
  `STAGE_WANTED(cmp_enter, enter_mem[hed_sm_i], visit_i)

  /// cycles that a reply occupies the SM's port
  function automatic time_t reply_busy(input logic [3:0] sectors, input logic [2:0] rate);
    logic [2:0] count;
    count = 3'(sectors[0]) + 3'(sectors[1]) + 3'(sectors[2]) + 3'(sectors[3]);
    case (rate)
      3'd1:    reply_busy = TimeW'(count);
      3'd2:    reply_busy = (TimeW'(count) + TimeW'(1)) >> 1;
      3'd3:    reply_busy = TimeW'(count != 3'd0) + TimeW'(count == 3'd4);
      default: reply_busy = TimeW'(count != 3'd0);
    endcase
  endfunction

  always_comb begin : takes_effect
    if (`WANTED(visit_i)) begin
      cmp_fill = cmp_enter + fill_delay_i;
      if (cmp_more_i == PassEnd)
        cmp_fill = latest(TimeW'(cmp_reply.at), cmp_enter)
                   + reply_busy(cmp_reply.sectors, reply_rate_i) + fill_delay_i;
    end
  end
  `STAGE_WANTED(pck_fill, ({!cmp_valid, cmp_fill}), visit_i)
  `STAGE(kin_fill, pck_fill)
  assign kin_fill_o = kin_fill;

  // ---------------------------------------------------------------- along
  localparam int AlongW = 9 + 1 + 6 + 3 + 4;
  logic [AlongW-1:0] pck_along, kin_along, ops_along, ptr_along, wrd_along, mis_along, tag_along,
                     act_along;
  time_t ops_fill, ptr_fill, wrd_fill, mis_fill, tag_fill, act_fill;
  `STAGE_WANTED(pck_along, ({cmp_reply.mshr, cmp_reply.cached, cmp_reply.warp, cmp_reply.bar,
                             cmp_reply.sectors}), visit_i)
  `STAGE(kin_along, pck_along)
  `STAGE(ops_along, kin_along)
  `STAGE(ptr_along, ops_along)
  `STAGE(wrd_along, ptr_along)
  `STAGE(mis_along, wrd_along)
  `STAGE(tag_along, mis_along)
  `STAGE(act_along, tag_along)
  `STAGE(ops_fill, kin_fill[TimeW-1:0])
  `STAGE(ptr_fill, ops_fill)
  `STAGE(wrd_fill, ptr_fill)
  `STAGE(mis_fill, wrd_fill)
  `STAGE(tag_fill, mis_fill)
  `STAGE(act_fill, tag_fill)
  assign mis_mshr_o   = mis_along[AlongW-1 -: 9];
  assign mis_warp_o   = mis_along[12:7];
  assign act_code_o = act_along[AlongW-1];
  assign {act_cached_o, act_warp_o, act_bar_o, act_come_o} = act_along[13:0];
  assign act_fill_o   = act_fill;

  // ---------------------------------------------------------------- the port
  time_t tag_enter, act_enter, act_new_enter;
  time_t pck_enter, kin_enter, ops_enter, ptr_enter, wrd_enter, mis_enter;
  `STAGE(pck_enter, cmp_enter)
  `STAGE(kin_enter, pck_enter)
  `STAGE(ops_enter, kin_enter)
  `STAGE(ptr_enter, ops_enter)
  `STAGE(wrd_enter, ptr_enter)
  `STAGE(mis_enter, wrd_enter)
  `STAGE(tag_enter, mis_enter)
  `STAGE(act_enter, tag_enter)
  always_comb begin : entered
    if (`WANTED(act_reply_i || act_scrub_i))
      act_new_enter = act_scrub_i ? fresh(act_enter, scrub_all_i, scrub_floor_i)
                                  : act_fill - fill_delay_i;
  end

  always_ff @(posedge clk_i) begin : write
    if (init_i || act_reply_i || act_scrub_i)
      `STORE(enter_mem[init_i ? init_sm_i : act_sm_i], init_i ? '0 : act_new_enter);
  end
endmodule
