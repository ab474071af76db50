// Memory stage: the SM's instruction cache, which its sub-cores ask for lines (code.svh).
//
// An ask is taken in a cycle; its lines are looked up one per step. What is there is answered by
// one micro-operation; what is not comes from L2, by the SM's request port, and is told to every
// sub-core that waits for it when all four sectors have come. Lines asked for ahead, when many are
// on their way already, are not fetched: the sub-core asks again for the one that it needs.
// A line takes the way at the set's pointer, or the next one that is not on its way.

// When the next ask is taken, and of which sub-core: the earliest, the lowest among equals.
task automatic lsu_ask_next();
  logic [4*AskBits-1:0] sent, asked;        // of sub-cores that are not there: 0
  bound_t at0, at1, at2, at3, head;
  sent  = (4*AskBits)'(asks_mem[lsu_sm_q]);
  asked = (4*AskBits)'(lsu_asked_q);
  lsu_ask_q `Q Never;
  if (sent != asked) begin
    at0  = {sent[0*AskBits +: AskBits] == asked[0*AskBits +: AskBits],
            ask0_mem[{lsu_sm_q, asked[0*AskBits +: AskBits]}]};
    at1  = {sent[1*AskBits +: AskBits] == asked[1*AskBits +: AskBits],
            ask1_mem[{lsu_sm_q, asked[1*AskBits +: AskBits]}]};
    at2  = {sent[2*AskBits +: AskBits] == asked[2*AskBits +: AskBits],
            ask2_mem[{lsu_sm_q, asked[2*AskBits +: AskBits]}]};
    at3  = {sent[3*AskBits +: AskBits] == asked[3*AskBits +: AskBits],
            ask3_mem[{lsu_sm_q, asked[3*AskBits +: AskBits]}]};
    head = first(first(at0, at1), first(at2, at3));
    lsu_ask_q     `Q {1'b0, latest(head[TimeW-1:0], lsu_code_q)};
    lsu_ask_sub_q `Q SubBits'(at0 == head ? 2'd0 : at1 == head ? 2'd1 : at2 == head ? 2'd2 : 2'd3);
  end
endtask

task automatic lsu_ask();
  logic [AskBits-1:0] entry;
  if (lsu_state_q == LsuAsk) begin
    entry = lsu_asked_q[lsu_ask_sub_q*AskBits +: AskBits];
    ask_q       `Q ask_mem[{lsu_sm_q, lsu_ask_sub_q, entry}];
    ask_hits_q  `Q '0;
    ask_waits_q `Q '0;
    code_sub_q  `Q lsu_ask_sub_q;
    lsu_asked_q[lsu_ask_sub_q*AskBits +: AskBits] `Q entry + 1'b1;
    lsu_code_q  `Q lsu_ask_q[TimeW-1:0] + 1'b1;
    lsu_state_q `Q LsuAskLines;
  end
endtask

// Which lines it wants.
task automatic lsu_ask_lines();
  if (lsu_state_q == LsuAskLines) begin
    for (int n = 1; n <= CodeAhead; n++)
      ask_left_q[n] `Q 5'(n) <= 5'(code_prefetch_q)
                       && 5'(n) + 5'(ask_q.fresh) > 5'(code_prefetch_q);
    ask_left_q[0] `Q ask_q.demand;
    lsu_state_q `Q LsuAskLine;
  end
endtask

// The next of them.
task automatic lsu_ask_line();
  logic [3:0] n;
  line_no_t   line;
  if (lsu_state_q == LsuAskLine) begin
    n = '0;
    for (int i = CodeAhead; i >= 0; i--) if (ask_left_q[i]) n = 4'(i);
    line = ask_q.base + LineNoW'(n);
    ask_line_q   `Q n;
    code_line_q  `Q line;
    code_index_q `Q line[SmCodeBits-1:0];
    code_asks_q  `Q 1'b1;
    lsu_state_q  `Q LsuCodeSet;
  end
endtask

// The set of the line.
task automatic lsu_code_set();
  if (lsu_state_q == LsuCodeSet) begin
    code_set_q  `Q sm_code_mem[{lsu_sm_q, code_index_q}];
    code_next_q `Q sm_way_mem[{lsu_sm_q, code_index_q}];
    lsu_state_q `Q code_asks_q ? LsuAskLook : LsuCode;
  end
endtask

task automatic lsu_ask_look();
  logic       hit, on_way, wanted;
  logic [3:0] way;
  logic [CodeAhead:0] left;
  if (lsu_state_q == LsuAskLook && (!req_valid_o || req_ready_i)) begin
    hit    = 1'b0;
    on_way = 1'b0;
    for (int w = 0; w < SmCodeWays; w++) begin
      sm_code_d = code_set_q[w*SmCodeW +: SmCodeW];
      if (sm_code_d.used && sm_code_d.tag == code_line_q[LineNoW-1:SmCodeBits]) begin
        hit    = sm_code_d.come == '1;
        on_way = sm_code_d.come != '1;
      end
    end
    if (!code_shared_q || ask_q.launched) hit = 1'b1;
    wanted = !hit && !on_way && (ask_line_q == '0 || lsu_q.flights < 5'(CodeFlights));
    if (wanted) begin
      way = code_next_q;
      for (int i = SmCodeWays - 1; i >= 0; i--) begin
        sm_code_d = code_set_q[4'(code_next_q + 4'(i))*SmCodeW +: SmCodeW];
        if (!sm_code_d.used || sm_code_d.come == '1) way = code_next_q + 4'(i);
      end
      sm_code_d.used = 1'b1;
      sm_code_d.come = '0;
      sm_code_d.tag  = code_line_q[LineNoW-1:SmCodeBits];
      code_keep(way);
      sm_way_we_d = 1'b1;
      lsu_q.flights `Q lsu_q.flights + 1'b1;
      code_request(way);
    end
    if (hit) ask_hits_q[ask_line_q] `Q 1'b1;
    if (on_way || wanted) ask_waits_q[ask_line_q] `Q 1'b1;
    left = ask_left_q;
    left[ask_line_q] = 1'b0;
    ask_left_q  `Q left;
    lsu_state_q `Q left == '0 ? LsuCodeWatch : LsuAskLine;
  end
endtask

// The way of the set that was read becomes sm_code_d.
task automatic code_keep(input logic [3:0] way);
  sm_code_we_d  = 1'b1;
  sm_code_way_d = way;
  code_row_d    = code_set_q;
  for (int w = 0; w < SmCodeWays; w++)
    if (4'(w) == way) code_row_d[w*SmCodeW +: SmCodeW] = sm_code_d;
endtask

// A request for the line leaves. Its reply finds set and way.
task automatic code_request(input logic [3:0] way);
  time_t at;
  at = latest(lsu_ask_q[TimeW-1:0] + miss_delay_q, lsu_port_q);
  request_d         = '0;
  request_d.at      = in_full(at);
  request_d.sm      = 8'(lsu_sm_q);
  request_d.warp    = code_index_q;
  request_d.bar     = NoBar;
  request_d.kind    = ReqRead;
  request_d.mshr    = {1'b1, 4'd0, way};
  request_d.cached  = 1'b1;
  request_d.sectors = '1;
  request_d.addr    = code_base_q + 32'(code_line_q);
  request_d.order   = lsu_q.order;
  lsu_port_q  `Q at + (TimeW'(1) << port_shift_q);
  lsu_q.order `Q lsu_q.order + 1'b1;
  req_valid_o <= 1'b1;
  req_o       <= request_d;
endtask

// The ask is done: what is there is answered, what is not is waited for.
task automatic lsu_ask_end();
  logic [3:0] far;                          // up to CodeAhead, but for another stream
  if (lsu_state_q == LsuAskEnd && lsu_room_d) begin
    far = ask_q.base[3:0] - watch_q.base[3:0];
    watch_d.epoch = ask_q.epoch;
    watch_d.base  = ask_q.base;
    watch_d.lines = ask_waits_q | (ask_q.restart ? '0 : watch_q.lines >> far);
    watch_we_d    = 1'b1;
    watch_sub_d   = lsu_ask_sub_q;
    if (ask_hits_q != '0)
      push_code(lsu_ask_sub_q, ask_q.epoch, ask_q.base, ask_hits_q, lsu_ask_q[TimeW-1:0]);
    lsu_state_q `Q LsuNext;
  end
endtask

// A micro-operation: lines leave for a sub-core at a time.
task automatic push_code(input sub_t sub, input cta_t epoch, input line_no_t line,
                         input logic [CodeAhead:0] lines, input time_t at);
  micro_d         = 1'b1;
  visit_d         = '0;
  visit_d.kind    = KindCode;
  visit_d.in_slot = 1'b1;
  visit_d.slot    = lsu_slot_q;
  visit_d.sm      = lsu_sm_q;
  visit_d.sub     = sub;
  visit_d.arg.cta = epoch;
  {visit_d.arg.lines, visit_d.arg.delta} = 13'(lines);
  visit_d.arg.micro = 1'b1;
  micro_at_d      = at + code_way_q;
  micro_credit_d  = ExtraW'(line);
endtask

// A reply with sectors of a line of code, whose set has been read (lsu_reply.svh).
task automatic lsu_code();
  if (lsu_state_q == LsuCode) begin
    sm_code_d = code_set_q[lsu_mshr_q[3:0]*SmCodeW +: SmCodeW];
    sm_code_d.come = sm_code_d.come | lsu_come_q;
    code_keep(lsu_mshr_q[3:0]);
    code_line_q `Q {sm_code_d.tag, code_index_q};
    code_sub_q  `Q '0;
    lsu_state_q `Q LsuNext;
    if (sm_code_d.come == '1) begin
      lsu_q.flights `Q lsu_q.flights - 1'b1;
      lsu_state_q   `Q LsuCodeWatch;
    end
  end
endtask

// What the sub-core of the ask waits for; or each sub-core in turn, which is told if it waits for
// the line.
task automatic lsu_code_watch();
  if (lsu_state_q == LsuCodeWatch) begin
    watch_q     `Q watch_mem[{lsu_sm_q, code_sub_q}];
    lsu_state_q `Q code_asks_q ? LsuAskEnd : LsuCodeWake;
  end
endtask

task automatic lsu_code_wake();
  line_no_t far;
  if (lsu_state_q == LsuCodeWake && lsu_room_d) begin
    far = code_line_q - watch_q.base;
    if (far <= LineNoW'(CodeAhead) && watch_q.lines[far[3:0]]) begin
      watch_d = watch_q;
      watch_d.lines[far[3:0]] = 1'b0;
      watch_we_d  = 1'b1;
      watch_sub_d = code_sub_q;
      push_code(code_sub_q, watch_q.epoch, code_line_q, (CodeAhead + 1)'(1),
                lsu_fill_q[TimeW-1:0]);
    end
    lsu_state_q `Q code_sub_q == '1 ? LsuNext : LsuCodeWatch;
    code_sub_q  `Q code_sub_q + 1'b1;
  end
endtask
