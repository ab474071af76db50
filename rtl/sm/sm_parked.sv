/// SMs without a slot: from when on each has work, the earliest Launch for it, those that wait
/// for the host (parked), the queue of those that were woken up, and the visit under way to one.
///
/// Latency: what is written is read in the next clock. Throughput: one of each input a clock.
/// Rules: no SM is loaded in the clock of a Launch. At most one visit to an SM without slot is
/// under way. A wake-up resumes its SM when its visit is over.
`include "heddle_assert.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
module sm_parked #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // after reset
  input  logic                init_i,        /// this SM has nothing to do
  input  logic [SmBits-1:0]   init_sm_i,
  // command port
  input  logic                launch_i,      /// a warp is launched
  input  logic [SmBits-1:0]   launch_sm_i,
  input  logic [TimeW-1:0]    launch_at_i,

  // visits to SMs without slot
  input  logic                sel_valid_i,   /// one begins,
  input  logic [SmBits-1:0]   sel_sm_i,
  input  logic                row_valid_i,   /// one is over,
  input  logic                row_wake_i,    /// and was a wake-up
  input  logic [SmBits-1:0]   row_sm_i,
  output logic                outside_o,     /// one is under way

  // window unit
  output logic                seen_o,        /// one is, as the window unit sees it:
  output logic [SmBits-1:0]   seen_sm_o,     /// to this SM
  output logic                waits_o,       /// SMs wait for the host
  output logic                resume_valid_o,  /// one was woken up:
  output logic [SmBits-1:0]   resume_sm_o,
  input  logic                resume_pop_i,
  input  logic                read_i,
  input  logic [SmBits-1:0]   read_sm_i,
  output logic [BoundsW-1:0]  read_subs_o,   /// work of its sub-cores, with the Launch,
  output logic [TimeW:0]      read_lsu_o,    /// of its memory stage,
  output logic [TimeW:0]      read_reply_o,  /// of its reply port
  input  logic                load_i,        /// the SM gets a slot,
  input  logic                leave_i,       /// or leaves it
  input  logic                park_i,        /// and waits for the host
  input  logic [SmBits-1:0]   move_sm_i,
  input  logic [BoundsW-1:0]  leave_subs_i,
  input  logic [TimeW:0]      leave_lsu_i,
  input  logic [TimeW:0]      leave_reply_i
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
  bounds_t            subs_mem [MaxSm];      // from when on its units have work
  bound_t             lsu_mem [MaxSm], reply_mem [MaxSm];
  logic [MaxSm-1:0]   parked_q;              // waits for the host
  logic [SmBits:0]    count_q;               // so many do
  sm_t                resume_mem [MaxSm];    // queue of SMs to load again
  sm_t                resume_wr_q, resume_rd_q;
  time_t              launch_mem [MaxSm];    // earliest launch not yet taken
  logic [MaxSm-1:0]   launched_q;            // there is one
  logic               outside_q;             // a visit is under way
  /* verilator lint_off UNUSEDSIGNAL */      // but for Pipelined it is over in the same clock
  sm_t                outside_sm_q;          // to this SM
  /* verilator lint_on UNUSEDSIGNAL */

  // ---------------------------------------------------------------- visits
  logic resumes;
  always_comb begin : resume
    resumes = 1'b0;
    if (row_wake_i) resumes = parked_q[row_sm_i];
  end
  assign outside_o = outside_q;
  if (Pipelined) begin : gen_clocks
    assign seen_o    = outside_q;
    assign seen_sm_o = outside_sm_q;
  end else begin : gen_none
    assign seen_o    = sel_valid_i;          // which is over in this clock
    assign seen_sm_o = sel_sm_i;
  end

  // ---------------------------------------------------------------- what the window unit reads
  assign waits_o        = count_q != '0;
  assign resume_valid_o = resume_rd_q != resume_wr_q;
  assign resume_sm_o    = resume_mem[resume_rd_q];

  bounds_t subs;
  bound_t  launch;
  always_comb begin : reads
    if (`WANTED(read_i)) begin
      subs         = subs_mem[read_sm_i];
      launch       = {!launched_q[read_sm_i], launch_mem[read_sm_i]};
      read_subs_o  = subs;
      read_lsu_o   = lsu_mem[read_sm_i];
      read_reply_o = reply_mem[read_sm_i];
      if (!launch[TimeW])
        for (int s = 0; s < SubPerSm; s++)
          read_subs_o[s*(TimeW+1) +: TimeW+1] = first(subs[s*(TimeW+1) +: TimeW+1], launch);
    end
  end

  /// the place after this one in the queue
  function automatic sm_t after(input sm_t at);
    after = (at == SmBits'(MaxSm - 1)) ? '0 : at + 1'b1;
  endfunction

  // ---------------------------------------------------------------- state
  sm_t   leave_sm;
  time_t launch_new;
  always_comb begin : leaving
    if (`WANTED(init_i || leave_i)) leave_sm = init_i ? init_sm_i : move_sm_i;
  end
  always_comb begin : earliest
    if (`WANTED(launch_i)) begin
      launch_new = launch_at_i;
      if (launched_q[launch_sm_i] && earlier(launch_mem[launch_sm_i], launch_at_i))
        launch_new = launch_mem[launch_sm_i];
    end
  end

  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) begin
      `STORE(parked_q, '0);
      count_q     <= '0;
      resume_rd_q <= '0;
      resume_wr_q <= '0;
      `STORE(launched_q, '0);
      outside_q   <= 1'b0;
    end else begin
      if (init_i || leave_i) begin
        `STORE(subs_mem[leave_sm], init_i ? {SubPerSm{Never}} : leave_subs_i);
        `STORE(lsu_mem[leave_sm], init_i ? Never : leave_lsu_i);
        `STORE(reply_mem[leave_sm], init_i ? Never : leave_reply_i);
      end
      if (launch_i) begin
        `STORE(launch_mem[launch_sm_i], launch_new);
        `STORE(launched_q[launch_sm_i], 1'b1);
      end
      if (load_i) `STORE(launched_q[move_sm_i], 1'b0);
      if (sel_valid_i || row_valid_i) outside_q <= !row_valid_i;
      if (sel_valid_i) outside_sm_q <= sel_sm_i;
      if (park_i != resumes) count_q <= park_i ? count_q + 1'b1 : count_q - 1'b1;
      if (park_i) `STORE(parked_q[move_sm_i], 1'b1);
      if (resumes) begin
        // Only now, with its warp at hand, may the SM go on.
        `STORE(resume_mem[resume_wr_q], row_sm_i);
        resume_wr_q <= after(resume_wr_q);
        `STORE(parked_q[row_sm_i], 1'b0);
      end
      if (resume_pop_i) resume_rd_q <= after(resume_rd_q);
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT_IF(SlotNotParked, Pipelined && load_i, !parked_q[move_sm_i])
      `ASSERT_IF(ParkedCounted, Pipelined, count_q == (SmBits+1)'($countones(parked_q)))
      `ASSERT_IF(ResumeNotParked, Pipelined && resume_valid_o, !parked_q[resume_sm_o])
      `ASSERT(ResumeInRange, 32'(resume_wr_q) < MaxSm && 32'(resume_rd_q) < MaxSm)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
