/// Memory stage: requests of the SMs to the network.
///
/// A request leaves when the SM's port is free, and occupies it for as long as its pieces take: a
/// head, and what is written. Replies to a load find the MSHR that waits, or set and way of a line
/// of code; of all else the SM counts how many are unanswered.
/// Latency: a request is on the port in the clock after the visit. Throughput: one a clock.
/// Rules: as sm_passes. half_o leaves room for the requests of visits under way.
`include "heddle_assert.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
module sm_port #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [31:0]         reached_i,
  input  logic [TimeW-1:0]    miss_delay_i,  /// parameters
  input  logic [1:0]          port_shift_i,  /// a piece takes 1, 2, 4 cycles
  input  logic [8:0]          credits_i,     /// most requests unanswered
  input  logic [31:0]         code_base_i,
  input  logic                scrub_all_i,
  input  logic [TimeW-1:0]    scrub_floor_i,

  /* verilator lint_off UNUSEDSIGNAL */      // not used when Pipelined
  input  logic                visit_i,       /// there is a visit, without registers between
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [SmBits-1:0]   hed_sm_i, tag_sm_i, act_sm_i,
  output logic [TimeW-1:0]    cmp_port_o,    /// the SM's port is free at
  output logic                act_full_o,    /// too many requests are unanswered

  input  logic                act_line_i,    /// a request for sectors of a line,
  input  logic [3:0]          act_send_i,    /// these,
  input  logic [2:0]          act_sectors_i, /// a store so many: all that it touches
  /* verilator lint_off UNUSEDSIGNAL */      // a part of either
  input  logic [63:0]         act_word_i,    /// line_t,
  input  logic [63:0]         act_op_i,      /// of an operation, mem_op_t,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [5:0]          act_warp_i,    /// of a warp,
  input  logic                act_keep_i,    /// which an MSHR waits for,
  input  logic [7:0]          act_mshr_i,    /// this one
  input  logic [TimeW-1:0]    act_look_i,    /// looked up at
  input  logic                act_code_i,    /// a request for a line of code,
  input  logic [LineNoW-1:0]  act_code_line_i,  /// this one,
  input  logic [3:0]          act_code_way_i,   /// for a way of its set
  input  logic [TimeW-1:0]    act_ask_i,     /// asked for at
  input  logic                act_answer_i,  /// a request is answered that L1 does not keep
  input  logic                act_scrub_i,
  input  logic                init_i,
  input  logic [SmBits-1:0]   init_sm_i,

  output logic                half_o,        /// requests fill half of their queue
  output logic                req_valid_o,
  output logic [127:0]        req_o,
  input  logic                req_ready_i
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
`include "scrub_times.svh"
  localparam int Bits = 5;                   // of the queue

  time_t       port_mem [MaxSm];             // the port is free at
  logic [11:0] order_mem [MaxSm];            // requests sent
  logic [8:0]  unanswered_mem [MaxSm];       // that L1 does not keep

  time_t       cmp_port, act_port, act_at, act_new_port, act_free_at;
  logic [11:0] act_order;
  logic [8:0]  act_unanswered, act_new_unanswered;
  /* verilator lint_off UNUSEDSIGNAL */      // a part
  line_t       act_word;
  mem_op_t     act_op;
  /* verilator lint_on UNUSEDSIGNAL */
  request_t    act_request;
  logic [2:0]  act_pieces;
  logic        act_send;
  `STAGE_WANTED(cmp_port, port_mem[hed_sm_i], visit_i)
  assign cmp_port_o = cmp_port;
  `STAGE_WANTED(act_port, port_mem[tag_sm_i], visit_i)
  `STAGE_WANTED(act_order, order_mem[tag_sm_i], visit_i)
  `STAGE_WANTED(act_unanswered, unanswered_mem[tag_sm_i], visit_i)
  always_comb begin : full
    if (`WANTED(visit_i)) act_full_o = act_unanswered >= credits_i;
  end
  assign act_word    = act_word_i;
  assign act_op      = MemOpW'(act_op_i);
  assign act_send    = act_line_i || act_code_i;

  always_comb begin : request
    if (`WANTED(act_send)) begin
      act_pieces = 3'd1;
      act_at = latest((act_code_i ? act_ask_i : act_look_i) + miss_delay_i, act_port);
      act_request       = '0;
      act_request.at    = full_time(act_at, reached_i);
      act_request.sm    = 8'(act_sm_i);
      act_request.order = act_order;
      if (act_code_i) begin
        act_request.warp    = act_code_line_i[SmCodeBits-1:0];
        act_request.bar     = NoBar;
        act_request.kind    = ReqRead;
        act_request.mshr    = {1'b1, 4'd0, act_code_way_i};
        act_request.cached  = 1'b1;
        act_request.sectors = '1;
        act_request.addr    = code_base_i + 32'(act_code_line_i);
      end else begin
        act_request.warp    = act_warp_i;
        act_request.bar     = act_op.bar;
        act_request.kind    = ReqRead;
        act_request.perform = act_op.perform && act_op.mem != MemLoad;
        act_request.slot    = act_op.slot;
        act_request.mshr    = {1'b0, act_mshr_i};
        act_request.cached  = act_keep_i;
        act_request.sectors = act_send_i;
        act_request.full    = act_word.full;
        act_request.turns   = act_word.turns;
        act_request.addr    = act_word.addr;
        if (act_op.mem == MemStore) begin
          act_request.kind = ReqWrite;
          act_request.mshr = {8'd0, act_word.locked};
          act_pieces       = 3'd1 + act_sectors_i;
        end else if (act_op.mem == MemRed || act_op.mem == MemAtom) begin
          act_request.kind = ReqAtomic;
          act_pieces       = 3'd2;
        end
      end
    end
  end
  logic act_some;
  assign act_some = act_send || act_scrub_i || act_answer_i;
  always_comb begin : counts
    if (`WANTED(act_some)) begin
      act_free_at        = act_at + (TimeW'(act_pieces) << port_shift_i);
      act_new_port       = act_scrub_i ? fresh(act_port, scrub_all_i, scrub_floor_i) : act_free_at;
      act_new_unanswered = act_answer_i ? act_unanswered - 1'b1 : act_unanswered + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin : write
    if (init_i || act_some) begin
      if (init_i || act_send || act_scrub_i)
        `STORE(port_mem[init_i ? init_sm_i : act_sm_i], init_i ? '0 : act_new_port);
      if (init_i || act_send)
        `STORE(order_mem[init_i ? init_sm_i : act_sm_i], init_i ? '0 : act_order + 1'b1);
      if (init_i || act_answer_i || (act_line_i && !act_keep_i))
        `STORE(unanswered_mem[init_i ? init_sm_i : act_sm_i], init_i ? '0 : act_new_unanswered);
    end
  end

  logic [Bits:0] count;
  assign half_o = count[Bits] || count[Bits-1];
  fifo #(.Width(RequestW), .Bits(Bits)) requests (
    .clk_i, .rst_ni, .push_i(act_send), .word_i(act_request), .count_o(count),
    .valid_o(req_valid_o), .word_o(req_o), .pop_i(req_valid_o && req_ready_i)
  );
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni && !init_i) begin
      `ASSERT_IF(PortOne, act_send, $onehot0({act_line_i, act_code_i}) && !act_scrub_i)
      `ASSERT_IF(PortSectors, act_line_i, act_send_i != '0)
      `ASSERT_IF(PortStore, act_line_i && act_op.mem == MemStore,
                 act_sectors_i == 3'($countones(act_send_i)))
      `ASSERT_IF(ReplyAwaited, act_answer_i, act_unanswered != '0)
      `ASSERT_IF(OutstandingBound, act_line_i && !act_keep_i, act_unanswered < credits_i)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
