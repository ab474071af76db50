// CTA barriers, and the end of warps and CTAs, in the memory stage.
//
// A barrier is complete when its count reaches the number its arrivals name, or that of the live
// warps. Ends of warps and arrivals may be seen in any order: the time of completion is that of
// the latest. The state of a barrier means something when the CTA has it in `used`.
// A Launch sets the CTA's state; a step that would write at the same time waits.
task automatic lsu_exit();
  if (lsu_state_q == LsuExit) begin
    {lsu_exit_at_q, lsu_cta_q} `Q exit_mem[{lsu_sm_q, lsu_q.exit_rd}];
    lsu_q.exit_rd `Q lsu_q.exit_rd + 1'b1;
    lsu_state_q   `Q LsuExited;
  end
endtask

task automatic lsu_exited();
  if (lsu_state_q == LsuExited && !launch_cta_d) begin
    cta_state_d       = cta_mem[{lsu_sm_q, lsu_cta_q}];
    cta_state_d.live  = cta_state_d.live - 1'b1;
    cta_state_d.ended = later(cta_state_d.ended, in_full(lsu_exit_at_q));
    cta_we_d          = 1'b1;
    report_d          = cta_state_d.live == '0;
    report_word_d     = {1'b1, TimeW'(cta_state_d.ended), lsu_sm_q, 6'(lsu_cta_q), 5'd0};
    lsu_bars_q    `Q cta_state_d.used;
    lsu_state_q   `Q cta_state_d.used == '0 ? LsuNext : LsuEnded;
  end
endtask

// A warp has ended: look at the barriers of its CTA, one per step.
task automatic lsu_ended();
  logic [15:0] one;
  if (lsu_state_q == LsuEnded) begin
    one = `FIRST_ONE(lsu_bars_q);
    lsu_bar_q   `Q 4'(`NUMBER_OF(one));
    lsu_bars_q  `Q lsu_bars_q & ~one;
    lsu_state_q `Q LsuLook;
  end
endtask

// A barrier, after the end of a warp of its CTA, or as a warp arrives.
task automatic lsu_group();
  logic       arrive;
  logic [5:0] need;
  arrive = lsu_state_q == LsuArrive;
  if ((arrive || lsu_state_q == LsuLook) && !launch_cta_d) begin
    cta_state_d = cta_mem[{lsu_sm_q, lsu_cta_q}];
    group_d     = group_mem[{lsu_sm_q, lsu_cta_q, lsu_bar_q}];
    waiting_d   = wait_mem[{lsu_sm_q, lsu_cta_q, lsu_bar_q}];
    need        = cta_state_d.live;
    if (arrive) begin
      if (!cta_state_d.used[lsu_bar_q]) begin
        group_d   = '0;
        waiting_d = '0;
      end
      group_d.all   = lsu_op_q.bar_warps == '0;
      group_d.count = group_d.count + 1'b1;
      group_d.at    = in_full(lsu_took_q);
      if (!lsu_op_q.bar_arrive) waiting_d[{lsu_q.sub, lsu_op_q.warp}] = 1'b1;
      if (!group_d.all) need = lsu_op_q.bar_warps;
    end
    finish_group(group_d.count >= need && (arrive || group_d.all),
                 arrive || lsu_bars_q == '0 ? LsuNext : LsuEnded);
  end
endtask

// Keep the state of a barrier, or open it.
task automatic finish_group(input logic complete, input lsu_state_e then_do);
  /* verilator lint_off UNUSEDSIGNAL */  // its high bits
  full_t at;
  /* verilator lint_on UNUSEDSIGNAL */
  at = group_d.all ? later(group_d.at, cta_state_d.ended + 32'(ExitDelay)) : group_d.at;
  group_we_d  = 1'b1;
  cta_we_d    = 1'b1;
  cta_state_d.used[lsu_bar_q] = !complete;
  lsu_open_q    `Q waiting_d;
  lsu_open_at_q `Q TimeW'(at) + barrier_latency_q;
  lsu_then_q    `Q then_do;
  lsu_state_q   `Q complete && waiting_d != '0 ? LsuOpen : then_do;
endtask

// Let the waiting warps go on, one per step.
task automatic lsu_open();
  logic [WarpsPerSm-1:0] one;
  if (lsu_state_q == LsuOpen && lsu_room_d) begin
    one = `FIRST_ONE(lsu_open_q);
    micro_d         = 1'b1;
    visit_d         = '0;
    visit_d.kind    = KindResume;
    visit_d.in_slot = 1'b1;
    visit_d.slot    = lsu_slot_q;
    visit_d.sm      = lsu_sm_q;
    visit_d.arg.micro = 1'b1;
    {visit_d.sub, visit_d.warp} = `NUMBER_OF(one);
    micro_at_d  = lsu_open_at_q;
    lsu_open_q  `Q lsu_open_q & ~one;
    if ((lsu_open_q & ~one) == '0) lsu_state_q `Q lsu_then_q;
  end
endtask
