// What visits change in the state of the engine itself: queues to the memory stage and to the host.
task automatic reset_visits();
  micro_rd_q `Q '0;
  wake_rd_q  `Q '0;
  room_q     `Q 1'b0;
endtask

task automatic visit_effects();
  if (micro_pop) micro_rd_q `Q micro_rd_q + 1'b1;
  if (wake_pop)  wake_rd_q  `Q wake_rd_q + 1'b1;
  if (upd_valid) effects_of_update();
  if (rdy_valid && !rdy_stopped) hint_packet();
endtask

// Stage update: queues to the memory stage, and to the host.
task automatic effects_of_update();
  logic [SubPerSm*QueueBits-1:0] sent;
  logic [SubPerSm*AskBits-1:0]   asks;
  logic [AskBits-1:0]            entry;
  logic [6:0]                    ends;
  logic                          initial_visit;
  initial_visit = upd_init;
  needs_mem[upd_id] `Q upd_needs;
  if (upd_issue && upd_mio) queue_mem[{upd_sm, upd_sub, upd_entry}] `Q upd_op;
  if (upd_arrive_we) begin
    sent = sent_mem[upd_sm];
    sent[upd_sub*QueueBits +: QueueBits] = upd_sent;
    sent_mem[upd_sm] `Q sent;
    case (2'(upd_sub))
      2'd0:    arrive0_mem[{upd_sm, upd_arrive_entry}] `Q upd_arrive;
      2'd1:    arrive1_mem[{upd_sm, upd_arrive_entry}] `Q upd_arrive;
      2'd2:    arrive2_mem[{upd_sm, upd_arrive_entry}] `Q upd_arrive;
      default: arrive3_mem[{upd_sm, upd_arrive_entry}] `Q upd_arrive;
    endcase
  end
  if (upd_ask || initial_visit) begin
    asks  = initial_visit ? '0 : asks_mem[upd_sm];
    entry = asks[upd_sub*AskBits +: AskBits];
    ask_mem[{upd_sm, upd_sub, entry}] `Q upd_ask_word;
    case (2'(upd_sub))
      2'd0:    ask0_mem[{upd_sm, entry}] `Q upd_at + code_way_q;
      2'd1:    ask1_mem[{upd_sm, entry}] `Q upd_at + code_way_q;
      2'd2:    ask2_mem[{upd_sm, entry}] `Q upd_at + code_way_q;
      default: ask3_mem[{upd_sm, entry}] `Q upd_at + code_way_q;
    endcase
    if (!initial_visit) asks[upd_sub*AskBits +: AskBits] = entry + 1'b1;
    asks_mem[upd_sm] `Q asks;
  end
  if ((upd_issue && upd_head.last) || initial_visit) begin
    ends = exit_wr_mem[upd_sm];
    exit_mem[{upd_sm, ends}] `Q {upd_at, upd_cta};
    exit_wr_mem[upd_sm]      `Q initial_visit ? '0 : ends + 1'b1;
  end
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
