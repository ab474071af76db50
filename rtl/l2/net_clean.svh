// Slices: the dirty sectors that leave with a request's service, of one line at most. They leave
// with the line whose way the request takes; else, when more ways of the set would be dirty than
// may be, out of another way, whose line stays. A way with sectors in flight is passed over: what
// an atomic has made dirty may be among them.
/// ways of the set in lines_q that are dirty
function automatic logic [NumWays-1:0] ways_dirty();
  for (int w = 0; w < NumWays; w++) ways_dirty[w] = lines_q[w*WayW + 4 +: 4] != '0;
endfunction

/// what memory is told of a way that leaves or is cleaned: {sectors that are full, sectors}
/* verilator lint_off UNUSEDSIGNAL */          // the rest of the way
function automatic logic [7:0] written_back(input logic [WayW-1:0] line);
/* verilator lint_on UNUSEDSIGNAL */
  written_back = {line[15:12] & line[7:4], line[7:4]};
endfunction

/// ways set
function automatic logic [WayBits:0] count_ways(input logic [NumWays-1:0] set);
  count_ways = '0;
  for (int w = 0; w < NumWays; w += 4) count_ways = count_ways + (WayBits+1)'(count4(set[w +: 4]));
endfunction

// Beside the request's way, which will be dirty: whether the others are as many as may be already,
// and which of them is the next to leave.
task automatic slice_over();
  logic [NumWays-1:0] others, cleanable, behind;
  if (in_state(SliceWay)) begin
    over_q = 1'b0;
    if (op_now() != OpCopy && node_q.kind != ReqRead && dirty_ways_q != '0) begin
      others    = ways_dirty() & ~(NumWays'(1) << way_q);
      cleanable = others & ways_movable();
      behind    = cleanable & ({NumWays{1'b1}} << set_q.pointer);
      if (behind == '0) behind = cleanable;
      over_q     = cleanable != '0 && count_ways(others) >= (WayBits+1)'(dirty_ways_q);
      over_way_q = WayBits'(lowest32(32'(behind)));
    end
  end
endtask

// What leaves. Of a way without a sector in flight every dirty sector is valid.
task automatic slice_clean();
  logic leaves;
  way_t way;
  if (in_state(SliceClean)) begin
    leaves   = !hit_q && way_line_q[7:4] != '0;
    way      = leaves ? way_q : over_way_q;
    leaves_q = leaves;
    cleans_q = over_q && !leaves;
    if (leaves || over_q) begin
      out_tag_q   = tags_q[way*TagW +: TagW];
      {out_full_q, out_dirty_q} = written_back(lines_q[way*WayW +: WayW]);
    end
    slice_state_q = SliceServe;
  end
endtask
