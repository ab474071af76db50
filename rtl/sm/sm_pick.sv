/// Which warp of a sub-core issues next, and when: the sort keys of stages relative and minimum,
/// and the row of earliest issue times that they are made of, which stage row writes.
///
/// The key of a warp is {distance of its issue time from the sub-core's bound, not starving,
/// order}, so the smallest key is the earliest event; among equals a warp without packets first,
/// since nothing may issue then; then the order of the policy, but the greedy warp goes before it.
/// Lanes of a row are equal words, so that the processor that simulates takes eight at a time.
///
/// An issue, or a credit to a full queue of the memory pipe, moves the time at which one pipe is
/// free. All warps that want that pipe move as well, so that there is one time per warp to look at.
/// Latency: three stages from the visit chosen to the warp. Throughput: a visit each clock, and a
/// row each clock.
/// Rules: a sub-core's row is written before its next visit is chosen.
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE
module sm_pick #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic [31:0]         reached_i,     /// everything before is simulated
  input  logic [1:0]          policy_i,      /// 0 CGGTY, 1 GTO, 2 LRR

  input  logic                sel_issue_i,   /// stage select: a visit that may issue
  input  logic [RowW-1:0]     sel_row_i,     /// to this sub-core
  input  logic                rel_issue_i,   /// stage relative
  input  logic [TimeW-1:0]    rel_at_i,      /// its sub-core's bound
  /* verilator lint_off UNUSEDSIGNAL */      // not used when Pipelined
  input  logic                min_issue_i,   /// stage minimum: a visit that may issue
  /* verilator lint_on UNUSEDSIGNAL */

  output logic [TimeW-1:0]    cho_at_o,      /// stage choose: time that distances count from
  output logic [7:0]          cho_rel_o,     /// distance of the first warp
  output logic [WarpBits-1:0] cho_warp_o,    /// this one
  output logic                cho_ready_o,   /// it has an instruction
  output logic [31:0]         cho_after_o,   /// nothing issues in the sub-core before

  input  logic                rdy_valid_i,   /// stage ready: the row is read
  input  logic [RowW-1:0]     rdy_row_i,
  input  logic                row_valid_i,   /// stage row: the row is written
  input  logic                row_init_i, row_scrub_i,
  input  logic [RowW-1:0]     row_row_i,
  input  logic [WarpBits-1:0] row_warp_i,
  /* verilator lint_off UNUSEDSIGNAL */      // of these times the low bits
  input  logic [TimeW-1:0]    row_at_i,
  input  logic [4*WarpsPerSub-1:0] row_others_i,  /// per warp, the second of four bits: wants
                                                  /// another pipe than the one that moves
  input  logic [TimeW-1:0]    row_free_i,    /// that pipe is free at
  input  logic                row_full_i,    /// or not before a credit
  input  logic [TimeW-1:0]    row_own_at_i,  /// the visited warp may issue at,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [1:0]          row_own_i,     /// {has an instruction, is stopped},
  input  logic                row_keep_i,    /// or stays as it is
  input  logic                row_release_i, /// warps that waited for code may issue:
  input  logic [WarpsPerSub-1:0] row_await_i,  /// these
  input  logic                row_greedy_we_i,  /// the warp has issued:
  input  logic                row_fresh_i,   /// it is not greedy
  input  logic                row_next_we_i, /// nothing issues before:
  input  logic [31:0]         row_next_i,
  input  logic                scrub_all_i,   /// all stored times are old
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic [TimeW-1:0]    scrub_floor_i
  /* verilator lint_on UNUSEDSIGNAL */
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
  localparam full_t LateMost = 32'd64;       // operands are late by less
  localparam int    RowsW    = WarpsPerSub*IssueW;

  // per warp: {earliest issue, its pipe included; has an instruction; cannot issue before an event}
  logic [RowsW-1:0]  ready_mem [MaxSm*SubPerSm];
  logic [WarpBits:0] greedy_mem [MaxSm*SubPerSm];   // {no greedy warp, warp that issued last}
  full_t             next_mem [MaxSm*SubPerSm];     // nothing issues before

  // ---------------------------------------------------------------- policy
  // The order of warp w is (w ^ flip) + turn. CGGTY: highest number first. GTO: lowest number
  // first. LRR: the one after the last first.
  warp_t flip, rel_turn, min_turn;
  assign flip     = policy_i == 2'd0 ? '1 : '0;
  assign rel_turn = policy_i == 2'd2 ? ~rel_greedy[WarpBits-1:0] : '0;
  assign min_turn = policy_i == 2'd2 ? ~min_greedy[WarpBits-1:0] : '0;

  /// the warp that issued last goes first
  function automatic logic is_greedy(input logic [1:0] policy);
    is_greedy = policy != 2'd2;
  endfunction

  // ---------------------------------------------------------------- stage relative
  logic [RowsW-1:0]            rel_ready;
  logic [WarpBits:0]           rel_greedy, min_greedy;
  full_t                       rel_after, min_after;
  time_t                       rel_from, min_from;
  logic [WarpsPerSub*KeyW-1:0] rel_keys, min_keys;
  `STAGE_KEEP(rel_ready, ready_mem[sel_row_i], sel_issue_i)
  `STAGE(rel_greedy, greedy_mem[sel_row_i])
  `STAGE(rel_after, next_mem[sel_row_i])

  always_comb begin : relative
    key_t  lane, base, ahead, place, turn, swap;
    full_t after;
    rel_from = rel_at_i;
    rel_keys = 'x;
    {lane, base, ahead, place, turn, swap, after} = 'x;
    if (rel_issue_i) begin
      // While operands are late nothing issues: a few cycles; else the last issue is past.
      after = rel_after - full_time(rel_at_i, reached_i);
      if (after < LateMost) rel_from = TimeW'(rel_after);
      turn = KeyW'(rel_turn);
      swap = KeyW'(flip);
      base = KeyW'({rel_from[NearW-1:0], 2'd0});
      for (int w = 0; w < WarpsPerSub; w++) begin
        lane  = KeyW'(rel_ready[w*IssueW +: IssueW]);
        ahead = KeyW'(IssueW'(lane - base));                 // {distance, the two flags}
        ahead = ahead[IssueW-1] ? ahead & KeyW'(3) : ahead;  // ready for long
        ahead = ahead > KeyW'({Far, 2'd0}) ? KeyW'({Far, 2'd0}) : ahead;
        ahead = lane[0] ? KeyW'({Blocked, 2'd0}) : ahead;    // stopped
        place = ((KeyW'(w) ^ swap) + turn) & KeyW'(WarpsPerSub - 1);
        rel_keys[w*KeyW +: KeyW] = ((ahead & ~(KeyW'(1))) << (WarpBits - 1)) | place;
      end
    end
  end
  `STAGE(min_keys, rel_keys)
  `STAGE(min_greedy, rel_greedy)
  `STAGE(min_after, rel_after)
  `STAGE(min_from, rel_from)

  // ---------------------------------------------------------------- stage minimum
  /* verilator lint_off UNUSEDSIGNAL */  // the high bits
  key_t  min_key;
  /* verilator lint_on UNUSEDSIGNAL */
  warp_t min_warp;

  if (Pipelined) begin : gen_at_once
    // Four keys are compared at once. The greedy warp goes first when no distance is shorter.
    function automatic key_t least(input key_t a, input key_t b, input key_t c, input key_t d);
      logic low;                             // a or b
      low   = a < b ? a < c && a < d : b < c && b < d;
      least = low ? (a < b ? a : b) : (c < d ? c : d);
    endfunction
    always_comb begin : minimum
      key_t best [WarpsPerSub];
      /* verilator lint_off UNUSEDSIGNAL */  // a part
      key_t greedy;
      /* verilator lint_on UNUSEDSIGNAL */
      logic stays;                           // no other warp goes before it
      for (int w = 0; w < WarpsPerSub; w++) best[w] = min_keys[w*KeyW +: KeyW];
      greedy = min_keys[min_greedy[WarpBits-1:0]*KeyW +: KeyW];
      stays  = is_greedy(policy_i) && !min_greedy[WarpBits];
      for (int w = 0; w < WarpsPerSub; w++)
        if (best[w][KeyBits-1:WarpBits] < greedy[KeyBits-1:WarpBits]) stays = 1'b0;
      for (int n = WarpsPerSub; n > 1; n = (n + 3)/4)
        for (int w = 0; w < (n + 3)/4; w++)
          best[w] = least(best[4*w], best[4*w + 1], best[4*w + 2%n], best[4*w + 3%n]);
      min_key  = best[0];
      min_warp = stays ? min_greedy[WarpBits-1:0] : flip ^ (min_key[WarpBits-1:0] - min_turn);
    end
  end else begin : gen_in_turn
    always_comb begin : minimum
      logic [WarpsPerSub*KeyW-1:0] best;     // words side by side: a processor compares eight
      key_t left, right, greedy;
      min_key  = 'x;
      min_warp = 'x;
      {left, right, greedy} = 'x;
      best = min_keys;
      if (min_issue_i) begin
        for (int half = WarpsPerSub/2; half > 0; half = half/2)
          for (int w = 0; w < half; w++) begin
            left  = best[w*KeyW +: KeyW];
            right = best[(w+half)*KeyW +: KeyW];
            best[w*KeyW +: KeyW] = right < left ? right : left;
          end
        greedy  = min_keys[min_greedy[WarpBits-1:0]*KeyW +: KeyW];
        min_key = best[KeyW-1:0];
        if (is_greedy(policy_i) && !min_greedy[WarpBits]
            && greedy[KeyBits-1:WarpBits] == best[KeyBits-1:WarpBits]) min_key = greedy;
        // the warp of an order
        min_warp = flip ^ (min_key[WarpBits-1:0] - min_turn);
      end
    end
  end
  `STAGE(cho_at_o, min_from)
  `STAGE(cho_rel_o, min_key[KeyBits-1:WarpBits+1])
  `STAGE(cho_ready_o, min_key[WarpBits])
  `STAGE(cho_warp_o, min_warp)
  `STAGE(cho_after_o, min_after)

  // ---------------------------------------------------------------- stage row
  logic [RowsW-1:0] row_ready, row_lanes;
  `STAGE_KEEP(row_ready, ready_mem[rdy_row_i], rdy_valid_i)

  always_comb begin : lanes
    logic [31:0]       mine, which;  // the warp that is visited, or all
    logic [IssueW-1:0] lane, moved, flags, at, own;
    logic [NearW-1:0]  near, behind;
    row_lanes = 'x;
    {mine, which, lane, moved, flags, at, own, near, behind} = 'x;
    if (row_valid_i) begin
      flags = {{NearW{1'b0}}, 1'b1, row_full_i};
      at    = {row_free_i[NearW-1:0], 2'd0};
      own   = {row_own_at_i[NearW-1:0], row_own_i};
      if (row_keep_i) own = row_ready[row_warp_i*IssueW +: IssueW];
      mine  = 32'(row_warp_i);
      which = row_init_i ? '0 : '1;
      for (int w = 0; w < WarpsPerSub; w++) begin
        lane  = row_ready[w*IssueW +: IssueW];
        moved = lane - at;
        moved = moved[IssueW-1] ? at : lane;
        moved = (moved & ~(IssueW'(3))) | flags;
        lane  = row_others_i[4*w + 1] ? lane : moved;
        lane  = ((mine ^ w) & which) == '0 ? own : lane;
        row_lanes[w*IssueW +: IssueW] = lane;
      end
      if (row_release_i)
        for (int w = 0; w < WarpsPerSub; w++)
          if (row_await_i[w] && row_lanes[w*IssueW])
            row_lanes[w*IssueW +: IssueW] = {row_at_i[NearW-1:0], 2'b10};
      if (row_scrub_i)
        for (int w = 0; w < WarpsPerSub; w++) begin
          near   = row_ready[w*IssueW + 2 +: NearW];
          behind = near - scrub_floor_i[NearW-1:0];
          if (scrub_all_i || behind[NearW-1]) near = scrub_floor_i[NearW-1:0];
          row_lanes[w*IssueW +: IssueW] = {near, row_ready[w*IssueW +: 2]};
        end
    end
  end

  always_ff @(posedge clk_i) begin : write
    if (row_valid_i) begin
      `STORE(ready_mem[row_row_i], row_lanes);
      if (row_greedy_we_i || row_init_i)
        `STORE(greedy_mem[row_row_i], row_init_i ? '0 : {row_fresh_i, row_warp_i});
      if (row_next_we_i || row_init_i)
        `STORE(next_mem[row_row_i], row_init_i ? '0 : row_next_i);
    end
  end
endmodule
