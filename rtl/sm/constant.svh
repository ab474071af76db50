// Caches of constants: of a sub-core (L0), for instructions that read their operands as they issue,
// and of an SM, for indexed ones.
//
// Of the first stage 6 reads the set, and stage 7 asks whether the line is there. It is looked at
// when a warp could issue such an instruction and has not looked yet. A line that is not there
// comes after a known time, to whoever looks for it meanwhile; the warp issues then without another
// look, so that a line which has to make room again was not fetched for nothing. For some cycles
// the sub-core issues nothing at all.
// Reads  fet_*_q, cod_const_q; lsu_take_q, sm_const_q.
// Writes up_const*_d, up_next_d, up_missed_d, up_late_d: no issue; stall and cause of the warp;
//        sm_const*_d.

function automatic logic [ConstBits-1:0] const_set(input logic [ConstBits-1:0] line);
  const_set = line & {const_sets_q, {(ConstBits-1){1'b1}}};
endfunction

/// an instruction whose constant is to be looked for
function automatic logic constant_wanted();
  constant_wanted = fet_operands_q.constant != '0 && fet_visit_q.kind == KindIssue
                    && fet_head_q.mem == MemNone && !fet_board_q.constant && const_ways_q != '0;
endfunction

task automatic constant_look();
  time_t                at, wait_for;
  logic                 found;
  logic [ConstTagW-1:0] tag;
  if (constant_wanted() && !up_late_d) begin
    tag   = {fet_board_q.constants, fet_operands_q.constant};
    found = 1'b0;
    at    = fet_at_q + const_miss_q;
    for (int w = 0; w < ConstWays; w++)
      if (w < 32'(const_ways_q) && cod_const_q[w*ConstWayW +: ConstTagW] == tag) begin
        found = 1'b1;
        at    = cod_const_q[w*ConstWayW + ConstTagW +: TimeW];
      end
    if (earlier(fet_at_q, at)) begin
      up_const_d  = cod_const_q;
      if (!found) constant_insert({at, tag});
      wait_for    = at - fet_at_q;
      if (wait_for > TimeW'(const_hold_q)) wait_for = TimeW'(const_hold_q);
      up_late_d   = 1'b1;
      up_missed_d = 1'b1;
      up_board_d.constant = 1'b1;
      up_stall_d          = at;
      up_next_d           = in_full(fet_at_q) + 32'(wait_for);
    end
  end
endtask

// Stage 8, update: the sub-core stands still for some cycles.
task automatic constant_missed();
  up_pipe_d = FreePipe;
  note_gap();
  write_move();
  up_board_d.cause  = WaitConstant;
  up_sched_we_d     = 1'b1;
  up_sched_d.missed = 1'b1;
  up_sched_d.held   = 4'(TimeW'(up_next_d) - fet_at_q);
endtask

// The line takes the way at the set's pointer, which moves on.
task automatic constant_insert(input logic [ConstWayW-1:0] line);
  logic [1:0] way;
  way = cod_const_q[ConstWays*ConstWayW +: 2];
  for (int w = 0; w < ConstWays; w++)
    if (32'(way) == w) up_const_d[w*ConstWayW +: ConstWayW] = line;
  up_const_d[ConstWays*ConstWayW +: 2] = {1'b0, way} + 3'd1 >= const_ways_q ? 2'd0 : way + 2'd1;
endtask

// The memory stage takes an indexed constant: from when on the SM's cache has its line, which is
// asked for at a time. A line that is not there enters in the place of the oldest one of its set.
task automatic lsu_constant(input time_t asked, output time_t there);
  logic [ConstTagW-1:0] tag;
  logic found;
  logic [2:0] way;
  tag   = {lsu_take_q.constants, lsu_take_q.constant};
  way   = sm_const_q[SmConstWays*ConstWayW +: 3];
  found = 1'b0;
  there = asked + const_fill_q;
  for (int w = 0; w < SmConstWays; w++)
    if (sm_const_q[w*ConstWayW +: ConstTagW] == tag) begin
      found = 1'b1;
      there = sm_const_q[w*ConstWayW + ConstTagW +: TimeW];
    end
  if (!found) begin
    sm_const_we_d = 1'b1;
    sm_const_d    = sm_const_q;
    for (int w = 0; w < SmConstWays; w++)
      if (32'(way) == w) sm_const_d[w*ConstWayW +: ConstWayW] = {there, tag};
    sm_const_d[SmConstWays*ConstWayW +: 3] = way + 1'b1;
  end
endtask
