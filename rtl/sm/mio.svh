// The memory pipe (MIO) of a sub-core, part of update: queue slots, address unit, credits.
//
// Operation n of a sub-core has a queue slot until au_release after it entered the address unit,
// and enters it with the credit that n - Credits gives when the memory stage takes it. All
// three happen here, at the issue when the credit is known, else at the micro-operation that
// brings the credit. Counts are modulo 16: at most SlotEntries are issued and not sent, at most
// Credits are sent and not served.
// Reads  fet_*_q of the row.
// Writes the MIO rings, the operation queue to the memory stage.

// The next operation enters the address unit, its credit being known.
task automatic mio_enter(input time_t issued_at, input time_t credit_at);
  up_enter_d      = 1'b1;
  up_unit_d       = latest(latest(issued_at + au_delay_q, fet_unit_q + au_interval_q), credit_at);
  up_sched_d.sent = fet_sched_q.sent + 1'b1;
  up_credit_d     = fet_credits_q;
  up_credit_we_d  = 1'b1;
  push_d          = first(push_d, {1'b0, up_unit_d + StageDelay});
endtask

// An instruction of the memory pipe issues.
task automatic mio_issue();
  logic late;
  bar_t bar;
  late = fet_sched_q.issued != fet_sched_q.sent
         || QueueBits'(fet_sched_q.sent - fet_sched_q.served) >= QueueBits'(Credits);
  up_sched_d.issued = fet_sched_q.issued + 1'b1;
  up_free_d         = latest(up_free_d, fet_place_q);
  bar = fet_head_q.wr_bar;
  if (fet_head_q.mem == MemStore || fet_head_q.mem == MemRed
      || (fet_head_q.mem == MemSharedStore && fet_head_q.perform)) bar = StoreBar;
  add_count(bar, CountW'(1));
  if (late) begin
    late_d.warp   = fet_visit_q.warp;
    late_d.rd_bar = fet_head_q.rd_bar;
    late_mem[{up_row_d, fet_sched_q.issued[2:0]}] `Q late_d;
    up_park_d = 1'b1;
    hold_count(fet_head_q.rd_bar);
  end else begin
    mio_enter(fet_at_q, fet_credit_at_q);
    note_read(fet_head_q.rd_bar, up_unit_d + au_release_q);
  end
  mem_op_d.mem        = fet_head_q.mem;
  mem_op_d.warp       = fet_visit_q.warp;
  mem_op_d.bar        = bar;
  mem_op_d.perform    = fet_head_q.perform;
  mem_op_d.slot       = fet_head_q.slot;
  mem_op_d.lines      = fet_head_q.lines;
  mem_op_d.passes     = fet_head_q.passes;
  mem_op_d.bar_id     = fet_head_q.bar_id;
  mem_op_d.bar_arrive = fet_head_q.bar_arrive;
  mem_op_d.bar_warps  = fet_head_q.bar_warps;
  mem_op_d.cta        = fet_board_q.cta;
  mem_op_d.constants  = fet_board_q.constants;
  mem_op_d.constant   = fet_operands_q.constant;
  queue_mem[{up_row_d, fet_sched_q.issued}] `Q mem_op_d;
  if (fet_head_q.mem == MemBarrier && !fet_head_q.bar_arrive) up_board_d.waiting = 1'b1;
endtask

// The memory stage took operation `served` at fet_credit_q: served + Credits has its credit.
task automatic mio_credit();
  time_t credit_at;
  credit_at = TimeW'(fet_credit_q) + StageDelay;
  up_sched_we_d     = 1'b1;
  up_sched_d.served = fet_sched_q.served + 1'b1;
  if (fet_late_q) begin
    mio_enter(fet_late_at_q, credit_at);
    if (QueueBits'(fet_sched_q.issued - fet_sched_q.sent) == QueueBits'(SlotEntries)) begin
      // The place the next instruction waits for.
      up_pipe_d    = MioPipe;
      up_free_d    = latest(fet_free_q[MioPipe*TimeW +: TimeW], up_unit_d + au_release_q);
      up_free_we_d = 1'b1;
      up_bound_d   = {1'b0, up_free_d};
    end
  end else if (QueueBits'(fet_sched_q.sent - fet_sched_q.served) == QueueBits'(Credits)) begin
    up_credit_d    = credit_at;
    up_credit_we_d = 1'b1;
  end
endtask

// The rings and counts that issue, credit, scrubbing and initialisation write.
task automatic mio_store();
  logic [2:0]  entry;
  time_t       place, arrive;
  logic [SubPerSm*QueueBits-1:0] counts;
  if (up_exit_d || up_init_d) exit_wr_mem[fet_visit_q.sm] `Q up_init_d ? '0 : up_exit_wr_d;
  entry  = fet_sched_q.sent[2:0];
  place  = up_unit_d + au_release_q;
  arrive = up_unit_d + StageDelay;
  if (up_init_d || up_scrub_d) begin
    entry  = fet_visit_q.warp[2:0];
    place  = fresh(fet_place_q);
    arrive = fresh(fet_place_q - au_release_q + StageDelay);
  end
  if (up_park_d || up_scrub_d)
    late_at_mem[{up_row_d, up_scrub_d ? entry : fet_sched_q.issued[2:0]}]
      `Q up_scrub_d ? fresh(fet_late_at_q) : fet_at_q;
  if (up_enter_d || up_init_d || up_scrub_d) begin
    unit_mem[up_row_d]            `Q up_unit_d;
    places_mem[{up_row_d, entry}] `Q up_init_d ? '0 : place;
    counts = sent_mem[fet_visit_q.sm];
    counts[fet_visit_q.sub*QueueBits +: QueueBits] = up_sched_d.sent;
    sent_mem[fet_visit_q.sm] `Q counts;
    case (2'(fet_visit_q.sub))
      2'd0:    arrive0_mem[{fet_visit_q.sm, entry}] `Q arrive;
      2'd1:    arrive1_mem[{fet_visit_q.sm, entry}] `Q arrive;
      2'd2:    arrive2_mem[{fet_visit_q.sm, entry}] `Q arrive;
      default: arrive3_mem[{fet_visit_q.sm, entry}] `Q arrive;
    endcase
  end
  if (fet_visit_q.credit || up_init_d || up_scrub_d)
    credits_mem[{up_row_d, up_init_d || up_scrub_d ? entry : fet_sched_q.served[2:0]}]
      `Q up_init_d ? '0 : up_scrub_d ? fresh(fet_credits_q) : TimeW'(fet_credit_q) + StageDelay;
endtask
