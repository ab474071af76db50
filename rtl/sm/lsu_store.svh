// Memory stage: every memory is written here, once; and L1 is emptied.
task automatic lsu_store();
  logic [SmBits+SetBits-1:0] set;
  set  = {sel_sm, sel_arg.bar[1:0], sel_sub, sel_id[WarpBits-1:0]};
  if (init_d) begin
    tag_we_d    = '1;
    tag_set_d   = set;
    tag_d       = '0;
    victim_we_d = 1'b1;
    victim_d    = '0;
    mshr_we_d   = '1;
    mshr_set_d  = set[SmBits+SetBits-1:2];
    mshrs_d     = '0;
    line_we_d   = 1'b1;
    saved_we_d  = 1'b1;
    lsu_saved_d = '0;
    code_row_d  = '0;
    sm_code_we_d = 1'b1;
    sm_way_we_d = 1'b1;
    sm_const_we_d = 1'b1;
    sm_const_d  = '0;
    watch_d     = '0;
    watch_we_d  = 1'b1;
  end else if (flush_q) begin
    tag_we_d  = '1;
    tag_set_d = flush_set_q;
    tag_d     = '0;
    flush_q     `Q flush_set_q != {last_sm_q, {SetBits{1'b1}}};
    flush_set_q `Q flush_set_q + 1'b1;
    victim_we_d = 1'b1;
    victim_d    = '0;
  end
  if (tag_we_d != '0) begin
    `LANES(tag_mem, tag_set_d, tag_we_d, NumWays, TagW, tag_d)
  end
  if (victim_we_d) victim_mem[tag_set_d] `Q victim_d;
  if (mshr_we_d != '0) begin
    for (int m = 0; m < NumMshr; m++)
      if (mshr_we_d[m]) mshr_mem[mshr_set_d][m*MshrW +: MshrW] `Q mshrs_d[m*MshrW +: MshrW];
  end
  if (waiter_we_d) waiter_mem[{lsu_sm_q, waiter_mshr_d, waiter_at_d}] `Q waiter_d;
  if (line_we_d)
    line_rd_mem[init_d ? set[SmBits+5:0] : {lsu_sm_q, lsu_q.sub, lsu_op_q.warp}]
      `Q init_d ? '0 : line_rd_d;
  if (saved_we_d) begin
    lsu_mem[init_d ? sel_sm : lsu_sm_q]      `Q lsu_saved_d;
    lsu_op_mem[init_d ? sel_sm : lsu_sm_q]   `Q lsu_op_q;
    lsu_time_mem[init_d ? sel_sm : lsu_sm_q]
      `Q init_d ? '0 : {lsu_free_q, lsu_port_q, lsu_enter_q, lsu_base_q, lsu_took_q, lsu_code_q};
    taken_mem[init_d ? sel_sm : lsu_sm_q]    `Q init_d ? '0 : lsu_taken_q;
    asked_mem[init_d ? sel_sm : lsu_sm_q]    `Q init_d ? '0 : lsu_asked_q;
  end
  if (sm_code_we_d)
    sm_code_mem[init_d ? set[SmBits+SetBits-1:2] : {lsu_sm_q, code_index_q}] `Q code_row_d;
  if (sm_way_we_d)
    sm_way_mem[init_d ? set[SmBits+SetBits-1:2] : {lsu_sm_q, code_index_q}]
      `Q init_d ? '0 : sm_code_way_d + 1'b1;
  if (sm_const_we_d)
    sm_const_mem[init_d ? {sel_sm, set[SmConstBits-1:0]}
                        : {lsu_sm_q, sm_const_at_q}] `Q sm_const_d;
  if (watch_we_d)
    watch_mem[init_d ? sel_row : {lsu_sm_q, watch_sub_d}] `Q watch_d;
  cta_d = lsu_cta_q;
  if (launch_cta_d) begin
    cta_d             = cmd_launch_cta;
    cta_state_d.live  = cmd_launch_warps;
    cta_state_d.ended = cmd_launch_at - 32'(ExitDelay);
    cta_state_d.used  = '0;
  end
  if (cta_we_d || launch_cta_d)
    cta_mem[{launch_cta_d ? cmd_sm : lsu_sm_q, cta_d}] `Q cta_state_d;
  if (group_we_d) begin
    group_mem[{lsu_sm_q, lsu_cta_q, lsu_bar_q}] `Q group_d;
    wait_mem[{lsu_sm_q, lsu_cta_q, lsu_bar_q}]  `Q waiting_d;
  end
  lsu_queues();
endtask

// The queues to select and to the host.
task automatic lsu_queues();
  if (micro_d) begin
    micro_mem[micro_wr_q]        `Q visit_d;
    micro_at_mem[micro_wr_q]     `Q micro_at_d;
    micro_credit_mem[micro_wr_q] `Q micro_credit_d;
    micro_wr_q                   `Q micro_wr_q + 1'b1;
    slot_sent_q[lsu_slot_q]      `Q slot_sent_q[lsu_slot_q] + 1'b1;
  end
  if (report_d) begin
    report_q      <= 1'b1;
    report_word_q <= report_word_d;
    told_d = 1'b1;
  end
  // L1 is emptied: by a new epoch, or one set a clock when the epochs are used up.
  if (flush_d) begin
    flush_q     `Q epoch_q == '1;
    epoch_q     `Q epoch_q == '1 ? EpochBits'(1) : epoch_q + 1'b1;
    flush_set_q `Q '0;
  end
endtask
