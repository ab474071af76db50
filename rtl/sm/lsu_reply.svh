// Memory stage: a reply of the network.
//
// An acknowledgement, or the reply to a request that L1 does not keep, takes 1 from a counter. A
// reply for an MSHR fills L1, and counts for all MSHRs of its line; when all sectors that one waits
// for have come it is free again, 1 is taken from a counter of every operation that waits in it,
// and a stall on its set ends.
task automatic lsu_reply();
  if (lsu_state_q == LsuReply) begin
    reply_pop_o <= 1'b1;
    lsu_enter_q `Q lsu_fill_q[TimeW-1:0] - fill_delay_q;
    lsu_mshr_q  `Q reply_word_d.mshr[7:0];
    lsu_come_q  `Q reply_word_d.sectors;
    if (reply_word_d.cached && reply_word_d.mshr[8]) begin
      code_index_q `Q reply_word_d.warp;
      code_asks_q  `Q 1'b0;
      lsu_state_q  `Q LsuCodeSet;
    end else if (reply_word_d.cached) begin
      fill_mshrs_q `Q mshr_mem[{lsu_sm_q, reply_word_d.mshr[7:2]}];
      lsu_state_q `Q LsuFill;
    end else begin
      lsu_state_q `Q LsuNext;
      if (reply_word_d.bar != NoBar) begin
        push_count(reply_word_d.bar, 7'h7f, 1'b1, lsu_fill_q[TimeW-1:0], '0);
        address_micro(reply_word_d.warp);
        lsu_q.outstanding `Q lsu_q.outstanding - 1'b1;
        if (lsu_q.active && lsu_q.stalled && lsu_q.stall_port) stall_ends();
      end
    end
  end
endtask

// The line that stalled is looked up again when the reply is visible.
task automatic stall_ends();
  lsu_q.stalled `Q 1'b0;
  lsu_base_q    `Q lsu_fill_q[TimeW-1:0] - TimeW'(lsu_q.index[5:2]);
endtask

/// the line of an MSHR
function automatic logic [31:0] line_of(input logic [25:0] tag, input logic [5:0] set);
  line_of = {tag, tag[5:0] ^ set};
endfunction

// Read the L1 set that is filled.
task automatic lsu_fill();
  logic [SetBits-1:0] set;
  if (lsu_state_q == LsuFill) begin
    mshr_d = fill_mshrs_q[lsu_mshr_q[1:0]*MshrW +: MshrW];
    set    = set_of(16'(line_of(mshr_d.tag, lsu_mshr_q[7:2])));
    fill_tags_q   `Q tag_mem[{lsu_sm_q, set}];
    fill_victim_q `Q victim_mem[{lsu_sm_q, set}];
    lsu_state_q  `Q LsuFilled;
  end
endtask

task automatic lsu_filled();
  logic [31:0]        line;
  logic [25:0]        tag;
  logic [NumWays-1:0] ways;
  logic [NumMshr-1:0] done;
  logic [3:0]         valid;
  logic [EpochBits-1:0] epoch;
  logic [2:0]         victim;
  if (lsu_state_q == LsuFilled) begin
    mshr_d = fill_mshrs_q[lsu_mshr_q[1:0]*MshrW +: MshrW];
    line   = line_of(mshr_d.tag, lsu_mshr_q[7:2]);
    ways   = ways_of(fill_tags_q, line[31:7]);
    valid  = '0;
    for (int w = 0; w < NumWays; w++)
      if (ways[w]) valid = fill_tags_q[w*TagW + 25 +: 4];
    tag_set_d = {lsu_sm_q, set_of(line[15:0])};
    tag_d     = {epoch_q, valid | lsu_come_q, line[31:7]};
    if (ways == '0) begin
      {epoch, victim} = fill_victim_q;
      if (epoch != epoch_q) victim = 3'd0;
      ways[victim] = 1'b1;
      victim_we_d  = 1'b1;
      victim_d     = {epoch_q, {1'b0, victim} + 4'd1 >= l1_ways_q ? 3'd0 : victim + 1'b1};
    end
    tag_we_d    = ways;
    mshr_set_d  = {lsu_sm_q, lsu_mshr_q[7:2]};
    tag         = mshr_d.tag;
    done        = '0;
    for (int m = 0; m < NumMshr; m++) begin
      mshr_d = fill_mshrs_q[m*MshrW +: MshrW];
      if (mshr_d.valid && mshr_d.tag == tag) begin
        mshr_we_d[m] = 1'b1;
        mshr_d.come  = mshr_d.come | lsu_come_q;
        done[m]      = (mshr_d.wanted & ~mshr_d.come) == '0;
        mshr_d.valid = !done[m];
      end
      mshrs_d[m*MshrW +: MshrW] = mshr_d;
    end
    lsu_state_q `Q LsuNext;
    if (done != '0) begin
      wake_next(done);
      if (lsu_q.active && lsu_q.stalled && !lsu_q.stall_port
          && lsu_q.stall_set == lsu_mshr_q[7:2]) stall_ends();
    end
  end
endtask

// The lowest of the MSHRs that are done with: the operations that wait in it come next.
task automatic wake_next(input logic [NumMshr-1:0] done);
  logic [NumMshr-1:0] one;
  logic [1:0] entry;
  one   = `FIRST_ONE(done);
  entry = 2'(`NUMBER_OF(one));
  mshr_d = fill_mshrs_q[entry*MshrW +: MshrW];
  lsu_mshr_q    `Q {lsu_mshr_q[7:2], entry};
  lsu_done_q    `Q done & (done - 1'b1);
  lsu_waiter_q  `Q '0;
  lsu_waiters_q `Q mshr_d.waiters;
  lsu_wake_q    `Q mshr_d.first;
  lsu_state_q   `Q LsuWake;
endtask

// Every operation that waits in the MSHR; the first is there already.
task automatic lsu_waiter();
  if (lsu_state_q == LsuWaiter) begin
    lsu_wake_q  `Q waiter_mem[{lsu_sm_q, lsu_mshr_q, lsu_waiter_q[2:0]}];
    lsu_state_q `Q LsuWake;
  end
endtask

task automatic lsu_wake();
  if (lsu_state_q == LsuWake && lsu_room_d) begin
    if (lsu_wake_q.bar != NoBar) begin
      push_count(lsu_wake_q.bar, 7'h7f, 1'b1, lsu_fill_q[TimeW-1:0], '0);
      address_micro(lsu_wake_q.warp);
    end
    if (lsu_waiter_q + 1'b1 != lsu_waiters_q) begin
      lsu_state_q  `Q LsuWaiter;
      lsu_waiter_q `Q lsu_waiter_q + 1'b1;
    end else if (lsu_done_q != '0) begin
      wake_next(lsu_done_q);
    end else begin
      lsu_state_q `Q LsuNext;
    end
  end
endtask
