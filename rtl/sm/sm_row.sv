/// The pipes of the sub-cores, and when the visited warp may issue, its pipe included.
///
/// A visit moves the time at which one pipe is free; sm_pick keeps the row of all warps and needs
/// to know which of them want that pipe.
/// Latency: stage update finds the pipe, stage ready that of the next instruction, stage row the
/// warp's time. Throughput: a visit each clock.
/// Rules: one visit to a sub-core at a time, from look to row. upd_filled_i and upd_issue_i exclude
/// each other.
`include "heddle_assert.svh"
`include "cell/lanes.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
module sm_row #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic                scrub_all_i,
  input  logic [TimeW-1:0]    scrub_floor_i,

  // stage update: the pipe that moves
  input  logic [RowW-1:0]     loo_row_i,     /// stage look: the sub-core visited
  input  logic [RowW-1:0]     upd_row_i,
  /* verilator lint_off UNUSEDSIGNAL */      // its low bits
  input  logic [WarpBits-1:0] upd_warp_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                upd_init_i, upd_scrub_i,
  /* verilator lint_off UNUSEDSIGNAL */      // for a rule
  input  logic [TimeW-1:0]    upd_at_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                upd_issue_i,   /// an instruction issues
  input  logic [3:0]          upd_pipe_i,    /// to this pipe,
  input  logic [TimeW-1:0]    upd_issue_at_i,
  input  logic [7:0]          upd_interval_i,  /// which is taken for so long
  input  logic [TimeW-1:0]    upd_place_i,   /// memory pipe: a slot is free at
  input  logic                upd_filled_i,  /// memory pipe: a credit filled a slot again, which
  input  logic [TimeW-1:0]    upd_release_i, /// is free at
  input  logic                upd_full_i,    /// memory pipe: no slot before a credit

  // stage ready: the next instruction
  output logic                rdy_bound_we_o,  /// the sub-core has work
  output logic [TimeW-1:0]    rdy_bound_o,   /// from
  input  logic                rdy_valid_i,
  input  logic [RowW-1:0]     rdy_row_i,
  input  logic [WarpBits-1:0] rdy_warp_i,
  input  logic                rdy_scrub_i,
  input  logic                rdy_has_i,     /// the warp has one,
  input  logic [3:0]          rdy_pipe_i,    /// for this pipe
  input  logic                rdy_stopped_i, /// it waits for an event, else
  input  logic [TimeW-1:0]    rdy_at_i,      /// may issue at, its pipe apart
  input  logic                rdy_keep_i,    /// it waits for its code as before,
  input  logic                rdy_wait_i,    /// or from now on,
  input  logic [TimeW:0]      rdy_wait_at_i, /// until; never: not known yet

  // stage row
  output logic [4*WarpsPerSub-1:0] row_others_o,  /// per warp, the second of four bits: wants
                                                  /// another pipe than the one that moves
  output logic [TimeW-1:0]    row_free_o,    /// that pipe is free at
  output logic                row_full_o,    /// or not before a credit
  output logic [TimeW-1:0]    row_own_at_o,  /// the visited warp may issue at,
  output logic [1:0]          row_own_o,     /// {has an instruction, is stopped}
  output logic                row_keep_o     /// or stays as it is
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
`include "scrub_times.svh"

  logic [WarpsPerSub*4-1:0]  class_mem [MaxSm*SubPerSm];  // per warp: pipe
  logic [NumPipes*TimeW-1:0] free_mem [MaxSm*SubPerSm];   // per pipe: free again at

  // ---------------------------------------------------------------- stage update
  logic [NumPipes*TimeW-1:0] upd_free;
  logic [3:0] upd_pipe;
  logic       upd_moves;
  time_t      upd_moved;
  `STAGE(upd_free, free_mem[loo_row_i])

  always_comb begin : pipe
    upd_pipe  = FreePipe;
    upd_moved = 'x;
    if (upd_issue_i) begin
      upd_pipe  = upd_pipe_i;
      upd_moved = upd_issue_at_i + TimeW'(upd_interval_i);
      if (upd_pipe_i == MioPipe) upd_moved = latest(upd_moved, upd_place_i);
    end else if (upd_filled_i) begin         // the place that the next instruction waits for
      upd_pipe  = MioPipe;
      upd_moved = latest(upd_free[MioPipe*TimeW +: TimeW], upd_release_i);
    end else if (upd_init_i) begin
      upd_pipe  = 4'(upd_warp_i);
      upd_moved = '0;
    end else if (upd_scrub_i) begin
      upd_pipe  = 4'(upd_warp_i);
      if (upd_pipe < 4'(NumPipes))
        upd_moved = fresh(upd_free[upd_pipe*TimeW +: TimeW], scrub_all_i, scrub_floor_i);
    end
  end
  assign upd_moves = upd_pipe < 4'(NumPipes);

  // ---------------------------------------------------------------- stage ready
  logic [NumPipes*TimeW-1:0] rdy_free;
  logic [3:0] rdy_lane, rdy_moved_pipe;
  logic       rdy_moves, rdy_full, rdy_piped;
  time_t      rdy_moved, rdy_piped_at;
  `STAGE(rdy_free, upd_free)
  `STAGE(rdy_moved_pipe, upd_pipe)
  `STAGE(rdy_moves, upd_moves)
  `STAGE(rdy_moved, upd_moved)
  `STAGE(rdy_full, upd_full_i)
  `STAGE(rdy_bound_we_o, upd_filled_i)
  assign rdy_bound_o = rdy_moved;

  always_ff @(posedge clk_i) begin : keep_free
    if (rdy_moves) begin
      `LANE_KEEP(free_mem, rdy_row_i, rdy_moved_pipe, NumPipes, TimeW, rdy_moved)
    end
  end

  always_comb begin : lane
    rdy_lane     = Starving;
    rdy_piped_at = 'x;
    if (rdy_valid_i) begin
      if (rdy_has_i) rdy_lane = rdy_pipe_i > FreePipe ? FreePipe : rdy_pipe_i;
      if (rdy_stopped_i) rdy_lane = Stopped;
      if (rdy_keep_i || rdy_wait_i) rdy_lane = FreePipe;  // wants no pipe yet
      if (rdy_lane < 4'(NumPipes)) begin
        rdy_piped_at = rdy_free[rdy_lane*TimeW +: TimeW];
        if (rdy_moves && rdy_lane == rdy_moved_pipe) rdy_piped_at = rdy_moved;
      end
    end
  end
  assign rdy_piped = rdy_lane < 4'(NumPipes);

  always_ff @(posedge clk_i) begin : keep_class
    if (rdy_valid_i && !rdy_scrub_i) begin
      `LANE_KEEP(class_mem, rdy_row_i, rdy_warp_i, WarpsPerSub, 4, rdy_lane)
    end
  end

  // ---------------------------------------------------------------- stage row
  logic [WarpsPerSub*4-1:0] rdy_class, row_class;
  logic [3:0] row_lane, row_pipe;
  logic       row_moves, row_all_full, row_piped, row_wait, row_never;
  time_t      row_at, row_piped_at, row_wait_at;
  // as before the visit, whose own lane sm_pick has
  `STAGE(rdy_class, class_mem[upd_row_i])
  `STAGE(row_class, rdy_class)
  `STAGE(row_lane, rdy_lane)
  `STAGE(row_pipe, rdy_moved_pipe)
  `STAGE(row_moves, rdy_moves)
  `STAGE(row_all_full, rdy_full)
  `STAGE(row_piped, rdy_piped)
  `STAGE(row_at, rdy_at_i)
  `STAGE(row_piped_at, rdy_piped_at)
  `STAGE(row_wait, rdy_wait_i)
  `STAGE(row_wait_at, rdy_wait_at_i[TimeW-1:0])
  `STAGE(row_never, rdy_wait_at_i[TimeW])
  `STAGE(row_keep_o, rdy_keep_i)
  `STAGE(row_free_o, rdy_moved)
  assign row_full_o   = row_all_full && row_pipe == MioPipe;
  assign row_own_at_o = row_piped ? latest(row_at, row_piped_at) : row_wait ? row_wait_at : row_at;
  assign row_own_o    = {row_lane != Starving,
                         row_lane == Stopped || (row_all_full && row_lane == MioPipe)
                         || (row_wait && row_never)};

  // per eight warps: those that want another pipe
  always_comb begin : others
    logic [31:0] eight;
    for (int h = 0; h < WarpsPerSub/8; h++) begin
      eight = row_class[h*32 +: 32] ^ {8{row_pipe}};
      eight = eight | (eight >> 2);
      eight = eight | (eight << 1);
      row_others_o[h*32 +: 32] = row_moves ? eight : '1;
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    // what stages relative to choose make of the row must agree with the pipes
    `ASSERT_IF(IssuePipeFree, upd_issue_i && upd_pipe_i < 4'(NumPipes) && upd_pipe_i != MioPipe,
               !earlier(upd_at_i, upd_free[upd_pipe_i*TimeW +: TimeW]))
    rules_clock = rules_clock + 1;
  end
`endif
endmodule
