// What visits change in the state of the engine itself: queues to the host.
task automatic reset_visits();
  wake_rd_q  `Q '0;
  room_q     `Q 1'b0;
endtask

task automatic visit_effects();
  if (wake_pop)  wake_rd_q  `Q wake_rd_q + 1'b1;
  if (upd_valid) effects_of_update();
  if (rdy_valid && !rdy_stopped) hint_packet();
endtask

// Stage update: queues to the host.
task automatic effects_of_update();
  needs_mem[upd_id] `Q upd_needs;
  if (upd_want) begin
    want_q      <= 1'b1;
    want_word_q <= {upd_sm, upd_warp, upd_sub, upd_want_word};
  end
  if (upd_issue && !upd_mio && upd_head.perform) begin
    perform_q      <= 1'b1;
    perform_word_q <= {upd_at, upd_sm, upd_warp, upd_sub, upd_head.slot};
  end
  issue_valid_o <= upd_issue;
  issue_sm_o    <= 8'(upd_sm);
  issue_warp_o  <= {upd_warp, upd_sub};
  issue_time_o  <= in_full(upd_at);
endtask

// Whether the queues have room for what visits push: half is enough for those under way.
task automatic note_room();
  room_q `Q !events_half && !rewake_half;
endtask
