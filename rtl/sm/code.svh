// Instruction cache (L0) of a sub-core: stage 6, code, reads the set, and update asks whether an
// instruction's code is there.
//
// It is looked at when a warp could issue the first instruction of another line than its last one
// and has not looked yet. If the line comes later, the warp stalls until then, and the visit ends.
// A line that is one of the next ones behind the last that was fetched is there as well: the stream
// buffer has it. So is the first one of a warp: it has come with the launch.
// Reads  fet_*_q; code_mem and stream_mem of the sub-core.
// Writes cod_*_q; up_code_we_d, up_code_d, up_stream_d, up_late_d (the instruction is late), its
// stall.

function automatic logic [CodeBits-1:0] code_set(input logic [CodeBits-1:0] line);
  code_set = line & {code_sets_q, {(CodeBits-1){1'b1}}};
endfunction

/// an instruction whose code is to be looked for
function automatic logic code_wanted();
  code_wanted = fet_operands_q.fetch && !fet_board_q.fetched && code_ways_q != '0;
endfunction

task automatic stage_code();
  row_t row;
  cod_valid_q `Q fet_valid_q;
  if (fet_valid_q && code_wanted()) begin
    row = {fet_visit_q.sm, fet_visit_q.sub};
    cod_set_q    `Q code_mem[{row, code_set(fet_operands_q.line[CodeBits-1:0])}];
    cod_stream_q `Q stream_mem[row];
  end
endtask

task automatic code_look();
  line_no_t line;
  time_t    at;
  logic [CodeTagW-1:0] tag;
  logic     hit, ahead;
  up_late_d = 1'b0;
  if (code_wanted()) begin
    line = fet_operands_q.line;
    tag  = {1'b1, line[LineNoW-1:CodeBits-1]};
    up_code_d   = cod_set_q;
    up_stream_d = cod_stream_q;
    at  = latest(fet_stall_q, up_stream_d.free);
    hit = 1'b0;
    for (int w = 0; w < CodeWays; w++)
      if (w < 32'(code_ways_q) && up_code_d[w*CodeTagW +: CodeTagW] == tag) hit = 1'b1;
    if (!hit) begin
      ahead = fet_operands_q.start || (line - up_stream_d.next) < code_prefetch_q;
      if (!ahead) begin
        at = at + code_latency_q;
        up_stream_d.free = at;
      end
      up_stream_d.next = line + 1'b1;
      code_insert(tag);
      up_code_we_d = 1'b1;
    end
    up_board_d.fetched = 1'b1;
    if (earlier(fet_at_q, at)) begin
      up_late_d        = 1'b1;
      up_stall_d       = at;
      up_board_d.cause = WaitFetch;
    end
  end
endtask

// The line takes the way at the set's pointer, which moves on.
task automatic code_insert(input logic [CodeTagW-1:0] tag);
  logic [1:0] way;
  way = up_code_d[CodeWays*CodeTagW +: 2];
  for (int w = 0; w < CodeWays; w++)
    if (32'(way) == w) up_code_d[w*CodeTagW +: CodeTagW] = tag;
  up_code_d[CodeWays*CodeTagW +: 2] = {1'b0, way} + 3'd1 >= code_ways_q ? 2'd0 : way + 2'd1;
endtask
