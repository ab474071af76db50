// Memory stage: the SM's cache of indexed constants.
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
