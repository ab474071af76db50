// Instruction cache (L0) of a sub-core with its stream buffer: stage 6, code, reads the set and
// the buffer; stage 7, look, asks whether an instruction's code is there, and when the ports of the
// register file have its operands.
//
// It is looked at when a warp could issue the first instruction of another line than its last one
// and has not looked yet. The buffer has a base, the line that came into the cache last, and the
// lines behind it, there or on their way from the SM's cache (lsu_code.svh); a line that is in
// neither becomes the base. A warp whose code has not come waits for the base, and looks again.
// Until then its lane of ready_mem is stopped, its pipe the one that is always free.
// Reads  fet_*_q; code_mem and stream_mem, const_mem of the sub-core.
// Writes cod_*_q; up_code*_d, up_stream*_d, up_await*_d, up_ask*_d; up_late_d: no issue.

function automatic logic [CodeBits-1:0] code_set(input logic [CodeBits-1:0] line);
  code_set = line & {code_sets_q, {(CodeBits-1){1'b1}}};
endfunction

/// an instruction whose code is to be looked for
function automatic logic code_wanted();
  code_wanted = fet_visit_q.kind == KindIssue && fet_operands_q.fetch && !fet_board_q.fetched
                && code_ways_q != '0;
endfunction

task automatic stage_code();
  row_t row;
  logic [ConstBits-1:0] set;
  cod_valid_q `Q fet_valid_q;
  if (fet_valid_q && (code_wanted() || fet_visit_q.kind == KindCode
                      || fet_visit_q.kind == KindScrub)) begin
    row = {fet_visit_q.sm, fet_visit_q.sub};
    cod_set_q    `Q code_mem[{row, code_set(fet_operands_q.line[CodeBits-1:0])}];
    cod_stream_q `Q stream_mem[row];
  end
  if (fet_valid_q && fet_visit_q.kind == KindIssue) write_conflicts();
  if (fet_valid_q && (constant_wanted() || fet_visit_q.kind == KindScrub)) begin
    set = const_set(fet_operands_q.constant[ConstBits-1:0]);
    if (fet_visit_q.kind == KindScrub) set = ConstBits'(fet_visit_q.warp);
    cod_const_q `Q const_mem[{fet_visit_q.sm, fet_visit_q.sub, set}];
  end
endtask

// What the stages from here on find out about the visit begins with what was read.
task automatic stage_look();
  if (cod_valid_q) begin
    up_row_d    = {fet_visit_q.sm, fet_visit_q.sub};
    up_id_d     = {up_row_d, fet_visit_q.warp};
    up_ctx_d    = {fet_visit_q.slot, fet_visit_q.sub};
    up_board_d  = fet_board_q;
    up_stall_d  = fet_stall_q;
    up_bound_d  = Never;
    up_late_d   = 1'b0;
    up_code_we_d   = 1'b0;
    up_stream_we_d = 1'b0;
    up_await_we_d  = 1'b0;
    up_ask_we_d    = 1'b0;
    up_release_d   = 1'b0;
    up_kept_we_d   = 1'b0;
    up_missed_d    = 1'b0;
    if (fet_visit_q.kind == KindIssue) begin
      up_class_d = classes_mem[fet_head_q.cls];
      ports_read();
      if (cod_conflict_q) write_wait();
      else code_look();
      constant_look();
    end else if (fet_visit_q.kind == KindCode) begin
      code_come();
    end
    if (push_d != Never) push_slot_d = fet_visit_q.slot;
  end
  up_update_valid_q `Q cod_valid_q;
endtask

/// ways of the set that hold the line
function automatic logic code_hit(input logic [CodeTagW-1:0] tag);
  code_hit = 1'b0;
  for (int w = 0; w < CodeWays; w++)
    if (w < 32'(code_ways_q) && cod_set_q[w*CodeTagW +: CodeTagW] == tag) code_hit = 1'b1;
endfunction

// A warp that could issue looks for its code.
task automatic code_look();
  line_no_t line;
  logic     hit, there, again;
  if (code_wanted()) begin
    line  = fet_operands_q.line;
    again = fet_await_q[fet_visit_q.warp];
    hit   = code_hit({1'b1, line[LineNoW-1:CodeBits-1]});
    up_stream_d = cod_stream_q;
    there = due(cod_stream_q.at, fet_at_q + 1'b1);
    if (!there) begin
      there = (hit && line != cod_stream_q.base) || fet_operands_q.start;
    end else if (!hit && line != cod_stream_q.base) begin
      code_move(line);
      there = due(up_stream_d.at, fet_at_q + 1'b1);
    end
    up_board_d.fetched = there;
    if (!there || again) begin
      up_late_d     = 1'b1;
      up_await_we_d = 1'b1;
      up_await_d    = fet_await_q;
      up_await_d[fet_visit_q.warp] = !there;
      if (there) begin
        up_stall_d       = fet_at_q;
        up_board_d.cause = WaitFetch;
      end
    end
  end
endtask

/// how far behind the base the line of an entry of the buffer lies, 1 to CodeAhead
function automatic logic [3:0] entry_behind(input logic [2:0] entry, input logic [2:0] base);
  logic [2:0] n;
  n = entry - base;
  entry_behind = {n == '0, n};
endfunction

// The line becomes the base, and enters the cache. What the buffer does not have is asked for.
task automatic code_move(input line_no_t line);
  line_no_t   far;
  logic       near, all;
  logic [3:0] behind;
  far    = line - cod_stream_q.base;
  near   = far <= LineNoW'(code_prefetch_q);
  up_stream_d.base  = line;
  up_stream_d.epoch = cod_stream_q.epoch + CtaBits'(!near);
  up_stream_d.at    = Never;
  all = fet_operands_q.start && fet_operands_q.launched;  // they have come with the launch
  for (int e = 0; e < CodeAhead; e++) begin
    behind = entry_behind(3'(e), line[2:0]);
    if (near && behind == 4'(CodeAhead)) up_stream_d.at = cod_stream_q.ahead[e*AheadW +: AheadW];
    if (!near || 5'(far[3:0]) + 5'(behind) > 5'(code_prefetch_q))
      up_stream_d.ahead[e*AheadW +: AheadW] = Never;
    if (all && behind <= code_prefetch_q)
      up_stream_d.ahead[e*AheadW +: AheadW] = {1'b0, fet_at_q};
  end
  if (fet_operands_q.start) up_stream_d.at = {1'b0, fet_at_q};
  ask_d.epoch   = up_stream_d.epoch;
  ask_d.restart = !near || !cod_stream_q.told;
  ask_d.demand  = !due(up_stream_d.at, fet_at_q + 1'b1);
  ask_d.launched = fet_operands_q.launched;
  ask_d.fresh   = all ? 4'd0 : near ? far[3:0] : code_prefetch_q;
  ask_d.base    = line;
  up_ask_we_d    = ask_d.demand || ask_d.fresh != '0;
  up_stream_d.told = up_ask_we_d || (near && cod_stream_q.told);
  up_stream_we_d = 1'b1;
  up_code_we_d   = 1'b1;
  up_code_d      = cod_set_q;
  code_insert({1'b1, line[LineNoW-1:CodeBits-1]});
  if (up_ask_we_d) push_d = first(push_d, {1'b0, fet_at_q + code_way_q});
endtask

// The line takes the way at the set's pointer, which moves on.
task automatic code_insert(input logic [CodeTagW-1:0] tag);
  logic [1:0] way;
  way = up_code_d[CodeWays*CodeTagW +: 2];
  for (int w = 0; w < CodeWays; w++)
    if (32'(way) == w) up_code_d[w*CodeTagW +: CodeTagW] = tag;
  up_code_d[CodeWays*CodeTagW +: 2] = {1'b0, way} + 3'd1 >= code_ways_q ? 2'd0 : way + 2'd1;
endtask

// Lines come, by a micro-operation: from the line in fet_credit_q on those of a mask. With the
// base all warps that wait are let go.
task automatic code_come();
  line_no_t           line, far;
  logic [3:0]         behind;
  logic [CodeAhead:0] mask;
  up_stream_d = cod_stream_q;
  line = fet_credit_q[LineNoW-1:0];
  mask = {fet_visit_q.lines[CodeAhead-7:0], fet_visit_q.delta};
  if (fet_visit_q.cta == cod_stream_q.epoch) begin
    up_stream_we_d = 1'b1;
    far = cod_stream_q.base - line;
    if (cod_stream_q.at[TimeW] && far <= LineNoW'(CodeAhead) && mask[far[3:0]]) begin
      up_stream_d.at = {1'b0, fet_at_q};
      up_release_d   = fet_await_q != '0;
      if (up_release_d) up_bound_d = {1'b0, fet_at_q};
    end
    for (int e = 0; e < CodeAhead; e++) begin
      behind = entry_behind(3'(e), cod_stream_q.base[2:0]);
      far = cod_stream_q.base + LineNoW'(behind) - line;
      if (cod_stream_q.ahead[e*AheadW + TimeW] && behind <= code_prefetch_q
          && far <= LineNoW'(CodeAhead) && mask[far[3:0]])
        up_stream_d.ahead[e*AheadW +: AheadW] = {1'b0, fet_at_q};
    end
  end
endtask
