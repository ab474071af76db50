// Memory stage: one line of an operation on global memory through L1.
//
// The line word is read, then its L1 set and its MSHR set; lsu_access decides. Up to four lines are
// looked up in the same cycle. A load that finds no MSHR stalls the stage, and so does all else
// when too many of the SM's requests that L1 does not keep are unanswered; the reply that changes
// this sets the time of the next try (lsu_reply.svh).
task automatic lsu_words();
  if (lsu_state_q == LsuWords) begin
    lsu_line_rd_q `Q line_rd_mem[{lsu_sm_q, lsu_q.sub, lsu_op_q.warp}];
    lsu_state_q   `Q LsuLine;
  end
endtask

task automatic lsu_line();
  warp_id_t warp;
  warp = {lsu_sm_q, lsu_q.sub, lsu_op_q.warp};
  if (lsu_state_q == LsuLine && lsu_line_rd_q == line_wr_mem[warp][BufferBits:0]) begin
    // The host has not sent it yet: the pass ends here.
    lsu_wait_q[lsu_sm_q] `Q 1'b1;
    lsu_state_q          `Q LsuEnd;
  end else if (lsu_state_q == LsuLine) begin
    if (lsu_line_rd_q[0])
      lsu_line_q `Q odd_mem[{warp, lsu_line_rd_q[BufferBits-1:1]}];
    else
      lsu_line_q `Q even_mem[{warp, lsu_line_rd_q[BufferBits-1:1]}];
    lsu_state_q `Q LsuTags;
  end
endtask

task automatic lsu_tags();
  if (lsu_state_q == LsuTags) begin
    look_tags_q  `Q tag_mem[{lsu_sm_q, set_of(lsu_line_q.addr[15:0])}];
    look_mshrs_q `Q mshr_mem[{lsu_sm_q, mshr_set_of(lsu_line_q.addr[11:0])}];
    lsu_state_q `Q LsuAccess;
  end
endtask

function automatic logic [SetBits-1:0] set_of(input logic [15:0] line);
  set_of = l1_sets_q ? line[7:0] ^ line[15:8] : {1'b0, line[6:0] ^ line[13:7]};
endfunction

function automatic logic [MshrSetBits-1:0] mshr_set_of(input logic [11:0] line);
  mshr_set_of = line[5:0] ^ line[11:6];
endfunction

/// the way of a set that holds a line, one-hot
function automatic logic [NumWays-1:0] ways_of(input logic [NumWays*TagW-1:0] tags,
                                               input logic [24:0] line);
  for (int w = 0; w < NumWays; w++)
    ways_of[w] = (tags[w*TagW +: TagW] & ~{{EpochBits{1'b0}}, 4'hf, 25'd0})
                 == {epoch_q, 4'd0, line}
                 && 4'(w) < l1_ways_q;
endfunction

/// number of sectors
function automatic logic [2:0] sectors_in(input logic [3:0] sectors);
  sectors_in = 3'(sectors[0]) + 3'(sectors[1]) + 3'(sectors[2]) + 3'(sectors[3]);
endfunction

task automatic lsu_access();
  logic [NumWays-1:0] ways;
  logic [3:0]         valid, missing, send, under_way;
  logic               load, cached, join_it, free_one, stall, full;
  logic [1:0]         entry;
  time_t              look_at;
  if (lsu_state_q == LsuAccess && (!req_valid_o || req_ready_i)) begin
    look_at = lsu_look_q[TimeW-1:0];
    ways = ways_of(look_tags_q, lsu_line_q.addr[31:7]);
    valid = '0;
    for (int w = 0; w < NumWays; w++)
      if (ways[w]) valid = look_tags_q[w*TagW + 25 +: 4];
    load    = lsu_op_q.mem == MemLoad;
    missing = load ? lsu_line_q.sectors & ~valid : lsu_line_q.sectors;
    // The lowest MSHR of the line that has room, else the lowest free one.
    join_it   = 1'b0;
    free_one  = 1'b0;
    entry     = '0;
    under_way = '0;
    for (int m = NumMshr - 1; m >= 0; m--) begin
      mshr_d = look_mshrs_q[m*MshrW +: MshrW];
      if (!mshr_d.valid && !join_it) begin
        free_one = 1'b1;
        entry    = 2'(m);
      end
    end
    for (int m = NumMshr - 1; m >= 0; m--) begin
      mshr_d = look_mshrs_q[m*MshrW +: MshrW];
      if (mshr_d.valid && mshr_d.tag == lsu_line_q.addr[31:6]) begin
        under_way = under_way | (mshr_d.wanted & ~mshr_d.come);
        if (mshr_d.waiters < 4'(MshrRoom)) begin
          join_it = 1'b1;
          entry   = 2'(m);
        end
      end
    end
    cached = load && missing != '0;
    full   = !load && lsu_q.outstanding >= credits_q;
    stall  = full || (cached && !join_it && !free_one);
    if (stall) begin
      if (lsu_q.credit || lsu_q.misses != '0) push_misses();
      lsu_q.credit    `Q 1'b0;
      lsu_q.misses    `Q '0;
      lsu_q.stalled   `Q 1'b1;
      lsu_q.stall_port `Q full;
      lsu_q.stall_set `Q mshr_set_of(lsu_line_q.addr[11:0]);
      lsu_state_q     `Q LsuNext;
    end else begin
      if (load) begin
        l1_sectors_q <= lsu_line_q.sectors;
      end else if (lsu_op_q.mem != MemStore && (valid & lsu_line_q.sectors) != '0) begin
        tag_we_d  = ways;
        tag_set_d = {lsu_sm_q, set_of(lsu_line_q.addr[15:0])};
        tag_d     = {epoch_q, valid & ~lsu_line_q.sectors, lsu_line_q.addr[31:7]};
      end
      send = cached ? missing & ~under_way : missing;
      if (cached) begin
        mshr_d = look_mshrs_q[entry*MshrW +: MshrW];
        waiter_d.warp = {lsu_op_q.warp, lsu_q.sub};
        waiter_d.bar  = lsu_op_q.bar;
        waiter_we_d   = join_it;
        waiter_mshr_d = {mshr_set_of(lsu_line_q.addr[11:0]), entry};
        waiter_at_d   = mshr_d.waiters[2:0];
        if (join_it) begin
          send           = send & ~mshr_d.come;
          mshr_d.wanted  = mshr_d.wanted | missing;
          mshr_d.waiters = mshr_d.waiters + 1'b1;
        end else begin
          mshr_d.valid   = 1'b1;
          mshr_d.tag     = lsu_line_q.addr[31:6];
          mshr_d.wanted  = missing;
          mshr_d.come    = '0;
          mshr_d.waiters = 4'd1;
          mshr_d.first   = waiter_d;
        end
        for (int m = 0; m < NumMshr; m++) mshrs_d[m*MshrW +: MshrW] = mshr_d;
        mshr_we_d[entry] = 1'b1;
        mshr_set_d = {lsu_sm_q, mshr_set_of(lsu_line_q.addr[11:0])};
      end
      if (load) l1_hits_q <= lsu_line_q.sectors & ~send;
      if (send != '0) lsu_request(cached, entry, send, latest(look_at + miss_delay_q, lsu_port_q));
      line_we_d     = 1'b1;
      line_rd_d     = lsu_line_rd_q + 1'b1;
      lsu_line_rd_q `Q lsu_line_rd_q + 1'b1;
      finish_line(missing != '0);
    end
  end
endtask

// A request leaves at a time; what the port takes for it.
task automatic lsu_request(input logic cached, input logic [1:0] entry, input logic [3:0] send,
                           input time_t at);
  logic [2:0] pieces;                       // a head, and what is written
  request_d         = '0;
  request_d.at      = in_full(at);
  request_d.sm      = 8'(lsu_sm_q);
  request_d.warp    = {lsu_op_q.warp, lsu_q.sub};
  request_d.bar     = lsu_op_q.bar;
  request_d.kind    = ReqRead;
  request_d.perform = lsu_op_q.perform && lsu_op_q.mem != MemLoad;
  request_d.slot    = lsu_op_q.slot;
  request_d.mshr    = {1'b0, mshr_set_of(lsu_line_q.addr[11:0]), entry};
  request_d.cached  = cached;
  request_d.sectors = send;
  request_d.full    = lsu_line_q.full;
  request_d.lanes   = lsu_line_q.lanes;
  request_d.addr    = lsu_line_q.addr;
  request_d.order   = lsu_q.order;
  pieces = 3'd1;
  if (lsu_op_q.mem == MemStore) begin
    request_d.kind = ReqWrite;
    pieces = 3'd1 + sectors_in(send);
  end else if (lsu_op_q.mem == MemRed || lsu_op_q.mem == MemAtom) begin
    request_d.kind = ReqAtomic;
    pieces = 3'd2;
  end
  lsu_port_q  `Q at + (TimeW'(pieces) << port_shift_q);
  lsu_q.order `Q lsu_q.order + 1'b1;
  if (!cached) lsu_q.outstanding `Q lsu_q.outstanding + 1'b1;
  req_valid_o <= 1'b1;
  req_o       <= request_d;
endtask

// The line is done; after the last one so is the operation.
task automatic finish_line(input logic missed);
  logic [5:0] index, misses;
  logic [7:0] sectors;
  time_t      ends_at;
  index   = lsu_q.index + 1'b1;
  misses  = lsu_q.misses + 6'(missed);
  sectors = lsu_q.sectors + 8'(sectors_in(lsu_line_q.sectors));
  lsu_q.index   `Q index;
  lsu_q.misses  `Q misses;
  lsu_q.sectors `Q sectors;
  lsu_state_q   `Q index[1:0] == '0 ? LsuNext : LsuLine;
  if (index == lsu_op_q.lines) begin
    ends_at = latest(lsu_base_q + stage_interval_q,
                     lsu_base_q + latest((TimeW'(index) + TimeW'(3)) >> 2,
                                         (TimeW'(sectors) + TimeW'(3)) >> 2));
    if (lsu_op_q.mem == MemLoad) ends_at = latest(ends_at, lsu_base_q + TimeW'(lsu_op_q.passes));
    push_count(lsu_op_q.bar, {1'b0, misses} - 7'd1, 1'b1, ends_at + l1_latency_q, index);
    lsu_free_q   `Q ends_at;
    lsu_q.active `Q 1'b0;
    lsu_q.credit `Q 1'b0;
    lsu_state_q  `Q LsuNext;
  end
endtask
