// Memory stage: the start of an operation, and all of one that does not touch global memory.
task automatic lsu_take();
  if (lsu_state_q == LsuTake) begin
    lsu_take_q  `Q queue_mem[{lsu_sm_q, lsu_head_sub_q,
                              lsu_taken_q[lsu_head_sub_q*QueueBits +: QueueBits]}];
    lsu_state_q `Q LsuStart;
  end
endtask

task automatic lsu_start();
  time_t at, ends_at, ready_at, latency;
  sub_t  sub;
  logic [SmConstBits-1:0] set;
  if (lsu_state_q == LsuScrub || (lsu_state_q == LsuStart && lsu_take_q.mem == MemConst)) begin
    set = lsu_state_q == LsuScrub ? scrub_set_q : lsu_take_q.constant[SmConstBits-1:0];
    sm_const_q    `Q sm_const_mem[{lsu_sm_q, set}];
    sm_const_at_q `Q set;
    lsu_state_q `Q lsu_state_q == LsuScrub ? LsuScrubbed : LsuConst;
  end else if (lsu_state_q == LsuStart || lsu_state_q == LsuConst) begin
    at  = lsu_look_q[TimeW-1:0];
    sub = lsu_head_sub_q;
    mem_op_d = lsu_take_q;
    lsu_taken_q[sub*QueueBits +: QueueBits]
                   `Q lsu_taken_q[sub*QueueBits +: QueueBits] + 1'b1;
    lsu_op_q       `Q mem_op_d;
    lsu_took_q     `Q at;
    lsu_base_q     `Q at;
    lsu_q.sub      `Q sub;
    lsu_q.turn     `Q sub + 1'b1;
    lsu_q.index    `Q '0;
    lsu_q.sectors  `Q '0;
    lsu_q.misses   `Q '0;
    ends_at = at + stage_interval_q;
    if (is_global(mem_op_d.mem) && mem_op_d.lines != '0) begin
      lsu_q.active `Q 1'b1;
      lsu_q.credit `Q 1'b1;
      lsu_state_q  `Q LsuWords;
    end else begin
      latency = l1_latency_q;
      case (mem_op_d.mem)
        MemSharedLoad, MemSharedStore, MemSharedAtom: begin
          ends_at = latest(ends_at, at + TimeW'(mem_op_d.passes));
          latency = shared_latency_q;
        end
        MemShuffle: latency = shuffle_latency_q;
        MemConst: begin
          ends_at = latest(ends_at, at + TimeW'(mem_op_d.passes));
          latency = const_latency_q;
        end
        default: ;
      endcase
      ready_at = ends_at;
      if (mem_op_d.mem == MemConst && mem_op_d.constant != '0 && const_shared_q) begin
        lsu_constant(ends_at, ready_at);
        ready_at = latest(ends_at, ready_at);
      end
      lsu_free_q  `Q ends_at;
      lsu_q.active `Q 1'b0;
      lsu_q.credit `Q 1'b0;
      micro_d         = 1'b1;
      visit_d         = '0;
      visit_d.kind    = KindCount;
      visit_d.in_slot = 1'b1;
      visit_d.slot    = lsu_slot_q;
      visit_d.sub     = sub;
      visit_d.sm      = lsu_sm_q;
      visit_d.warp    = mem_op_d.warp;
      visit_d.arg.bar = mem_op_d.bar;
      visit_d.arg.delta = '1;
      visit_d.arg.timed = 1'b1;
      visit_d.arg.credit = 1'b1;
      visit_d.arg.micro = 1'b1;
      micro_at_d      = ready_at + latency;
      micro_credit_d  = ExtraW'(at);
      report_d      = mem_op_d.perform && !is_global(mem_op_d.mem);
      report_word_d = {1'b0, at, lsu_sm_q, mem_op_d.warp, sub, mem_op_d.slot};
      lsu_cta_q     `Q mem_op_d.cta;
      lsu_bar_q     `Q mem_op_d.bar_id;
      lsu_state_q   `Q mem_op_d.mem == MemBarrier ? LsuArrive : LsuNext;
    end
  end
endtask
