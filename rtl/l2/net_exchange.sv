/// Messages of the other network engines of this kernel, from heddle_exchange to the calendar.
///
/// They come at any time and arrive in a later window, as all that leaves in one does. So a
/// message enters whenever the calendar and the pool have a clock for it, which they have not
/// while messages are taken out of the calendar. A request is then one like those of the SMs here,
/// a reply one like those of the slices here.
/// Latency: two clocks. Throughput: a message each clock.
/// Rules: word_i is taken when valid_i and ready_o. enter_i comes only with offer_o, behind which
/// no output changes until then. Parameters change only while not busy_o.
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // values inside one clock
module net_exchange (
  input  logic         clk_i,
  input  logic         rst_ni,
  output logic         busy_o,              /// a message is here

  input  logic         valid_i,
  input  logic [127:0] word_i,              /// word remote
  output logic         ready_o,

  input  logic [7:0]   instances_i,         /// parameters
  input  logic [16:0]  instance_inv_i,      /// net_reciprocal.sv
  input  logic [31:0]  net_request_i,

  output logic         offer_o,             /// a message may enter:
  output logic         reply_o,             /// it is a reply
  output logic [127:0] word_o,              /// request
  output logic [63:0]  answer_o,            /// or reply
  output logic [8:0]   source_o,
  output logic [31:0]  time_o,
  output logic [7:0]   dest_o,              /// slice here, or SM
  input  logic         enter_i              /// it enters
);
`include "heddle_import.svh"
`include "net_where.svh"
`include "net_sources.svh"
`include "net_remote.svh"
  logic         valid_q;
  logic [127:0] word_q;
  logic         moves;                      // word_q goes on

  assign moves   = !offer_o || enter_i;
  assign ready_o = !valid_q || moves;
  assign busy_o  = valid_q || offer_o;

  always_ff @(posedge clk_i) begin : steps
    if (!rst_ni) begin
      valid_q <= 1'b0;
      offer_o <= 1'b0;
    end else if (valid_i || busy_o) begin
      if (ready_o) begin
        valid_q <= valid_i;
        if (valid_i) word_q <= word_i;
      end
      if (moves) begin
        offer_o <= valid_q;
        if (valid_q) find();
      end
    end
  end

  // What the message is here.
  task automatic find();
    open_remote(word_q);
    reply_o  <= is_reply;
    word_o   <= request;
    answer_o <= reply;
    source_o <= remote_source;
    time_o   <= enters_at;
    dest_o   <= is_reply ? remote.sm
                : instances_i == 8'd1 ? remote.slice : by_instances(remote.slice, instance_inv_i);
  endtask
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned  rules_clock;
  /* verilator lint_off UNUSEDSIGNAL */
  remote_t      kept;
  /* verilator lint_on UNUSEDSIGNAL */
  assign kept = word_q;
  logic         was_offer;                  // a message did not enter
  logic [31:0]  was_time;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT_IF(ExchangeKind, valid_q, kept.kind == EvRequest || kept.kind == EvReply)
      `ASSERT_IF(ExchangeOffered, enter_i, offer_o)
      `ASSERT_IF(ExchangeHeld, was_offer, offer_o && time_o == was_time)
      `ASSERT_IF(ExchangeSlice, offer_o && !reply_o, dest_o < 8'd96)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
    was_offer   = rst_ni && offer_o && !enter_i;
    was_time    = time_o;
  end
`endif
endmodule
