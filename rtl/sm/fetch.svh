// Stage 5, fetch: read the state of the warp and the packet after the one issued.
//
// Reads  cho_*_q, the warp memories, the packet buffer, the MIO rings.
// Writes fet_*_q.
task automatic stage_fetch();
  warp_id_t id;
  row_t     row;
  logic [2:0] place, credit;
  fet_valid_q `Q cho_valid_q;
  if (cho_valid_q) begin
    row = {cho_visit_q.sm, cho_visit_q.sub};
    id  = {row, cho_visit_q.warp};
    place  = 3'(cho_issued_q - 4'd4);
    credit = CreditBits'(32'(cho_sent_q) + 1 - Credits);
    if (cho_visit_q.kind == KindScrub) begin
      place  = cho_visit_q.warp[2:0];
      credit = cho_visit_q.warp[2:0];
    end
    fet_visit_q     `Q cho_visit_q;
    fet_at_q        `Q cho_at_q;
    fet_credit_q    `Q cho_credit_q;
    fet_sched_q     `Q sched_mem[row];  // after the first of two visits (again_q)
    fet_late_q      `Q cho_late_q;
    fet_late_bar_q  `Q cho_late_bar_q;
    fet_late_at_q   `Q cho_late_at_q;
    fet_board_q     `Q cho_board_q;
    fet_head_q      `Q head_mem[id];
    if (cho_visit_q.kind == KindIssue)
      fet_operands_q `Q operand_mem[{id, BufferBits'(cho_board_q.rd - 1'b1)}];
    if (cho_visit_q.kind != KindCount && cho_visit_q.kind != KindResume)  // these take none
      fet_next_q    `Q buffer_mem[{id, cho_board_q.rd[BufferBits-1:0]}];
    fet_written_q   `Q packet_wr_mem[id];
    fet_lines_q     `Q lines_mem[id];
    fet_stall_q     `Q stall_mem[id];
    fet_counts_q    `Q count_mem[id];
    fet_until_q     `Q until_mem[id];
    fet_unit_q      `Q unit_mem[row];
    fet_after_q     `Q next_mem[row];
    fet_bank0_q     `Q bank0_mem[row];
    fet_bank1_q     `Q bank1_mem[row];
    fet_banks_q     `Q banks_mem[id];
    fet_wrote_q     `Q wrote_mem[row];
    fet_kept0_q     `Q kept0_mem[row];
    fet_kept1_q     `Q kept1_mem[row];
    fet_await_q     `Q await_mem[row];
    fet_credit_at_q `Q credit_mem[row];
    fet_ready_q     `Q ready_mem[row];
    fet_class_q     `Q class_mem[row];
    fet_free_q      `Q free_mem[row];
    fet_place_q     `Q places_mem[{row, place}];
    fet_credits_q   `Q credits_mem[{row, credit}];
  end
endtask
