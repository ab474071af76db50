// Stage 8, update, an issue: what the cycles in front of it were lost to (the CPI stack).
//
// The warp that issues was the first that could. What ended in this very cycle is what it waited
// for: operands of the instruction before that were late, a constant of another warp, its launch, a
// CTA barrier, a dependency counter, its stall, or else its pipe. A warp whose constant is missed
// counts as one that issues: what follows is lost to the next.
// Reads  fet_*_q.
// Writes gap_q to sm_counters, cause and kinds of the warp.
task automatic note_gap();
  cause_t cause;
  logic   stalled;
  full_t  gap;
  stalled = fet_stall_q == fet_at_q;
  cause   = up_pipe_d == MioPipe ? WaitMio : WaitPipe;
  if (stalled) cause = fet_board_q.cause;
  gap     = in_full(fet_at_q) - fet_after_q + 32'(fet_sched_q.held);
  if (gap != '0 && fet_head_q.wait_mask != '0
      && !(stalled && (cause == WaitNoWarp || cause == WaitBarrier))) begin
    for (int c = NumDepends - 1; c >= 0; c--)
      if (fet_head_q.wait_mask[c] && (fet_until_q[c*TimeW +: TimeW] == fet_at_q
                                      || (c < BankedBars && cod_written_q[c % BankedBars])))
        cause = c == 32'(StoreBar)                          ? WaitMembar
                : fet_board_q.kinds[c*2 +: 2] == KindSfu    ? WaitSfu
                : fet_board_q.kinds[c*2 +: 2] == KindShared ? WaitShared : WaitMemory;
  end
  // or nothing was lost
  if (in_full(fet_at_q) == fet_after_q)
    cause = fet_sched_q.missed ? WaitConstant : WaitRegister;
  gap_q        <= gap != '0;
  gap_cycles_q <= gap;
  gap_cause_q  <= cause;
endtask

// What the next cycles will be lost to.
task automatic note_cause();
  cause_t cause;
  cause = WaitStall;
  if (up_class_d.blocking && up_class_d.latency > 16'(fet_head_q.stall)) cause = WaitMembar;
  if (up_class_d.sleeping) cause = WaitSleep;
  up_board_d.cause = cause;
  if (fet_head_q.wr_bar != NoBar || fet_head_q.rd_bar != NoBar) note_kind();
endtask

// Its operation counts in one or two dependency counters. The last one decides where a result is
// written (write_back.svh); what is not of the memory pipe, or releases operands, writes none that
// could wait.
task automatic note_kind();
  logic [1:0] kind;
  kind = up_pipe_d != MioPipe       ? KindSfu
         : is_global(fet_head_q.mem) ? KindMemory : KindShared;
  up_banks_we_d = 1'b1;
  up_banks_d    = fet_banks_q;
  for (int c = 0; c < NumDepends - 1; c++) begin
    if (32'(fet_head_q.rd_bar) == c) begin
      up_board_d.kinds[c*2 +: 2] = kind;
      up_banks_d[c*2 +: 2]       = '0;
    end
    if (32'(fet_head_q.wr_bar) == c) begin
      up_board_d.kinds[c*2 +: 2] = kind;
      up_banks_d[c*2 +: 2]       = up_pipe_d == MioPipe ? fet_head_q.dst : '0;
    end
  end
endtask
