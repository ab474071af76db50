// Write ports of the register file: when a result of the memory pipe has to wait for one of fixed
// latency.
//
// A bank is written once a cycle, and what has a fixed latency goes first. A warp that could issue
// now, all it waits for being there, finds out in stage 6 that the last result under one of its
// counters has met such writes in every cycle since it came: then it cannot issue, and stage 7
// lets another one. So nothing has to be known of a result but when it comes, as of any other, and
// nobody looks at it before the cycle in which it is wanted, when all writes up to then are known.
// Reads  fet_*_q, up_class_d, up_at_d.
// Writes cod_conflict_q, cod_written_q; up_late_d: no issue; stall and cause of the warp;
//        up_wrote_d.

// Stage 6, a visit that issues: what its warp waits for cannot be written now, or could not until
// now.
task automatic write_conflicts();
  time_t      since, ago;
  logic       conflict;
  logic [7:0] recent, banked;    // two bits a cycle: the present one, the highest, and three before
  logic [3:0] met;               // of these cycles
  logic [BankedBars-1:0] written;
  conflict = 1'b0;
  written  = '0;
  if (fet_head_q.wait_mask[BankedBars-1:0] != '0) begin
    since  = fet_at_q - TimeW'(fet_after_q);  // not negative: nothing has issued since
    recent = 8'(fet_wrote_q >> {since[4:0], 1'b0});
    if (since < TimeW'(WritesW/2) && recent != '0) begin
      for (int c = 0; c < BankedBars; c++)
        if (fet_head_q.wait_mask[c] && fet_banks_q[2*c +: 2] != '0) begin
          ago    = fet_at_q - fet_until_q[c*TimeW +: TimeW];
          banked = recent & {4{fet_banks_q[2*c +: 2]}};
          met    = {banked[7:6] != '0, banked[5:4] != '0, banked[3:2] != '0, banked[1:0] != '0};
          if (ago < TimeW'(LatestWrite) && (met | 4'(4'b0111 >> ago[1:0])) == '1) conflict = 1'b1;
          if (ago <= TimeW'(LatestWrite) && (met[2:0] | 3'(3'b111 >> ago[1:0])) == '1)
            written[c] = 1'b1;
        end
    end
  end
  cod_conflict_q `Q conflict;
  cod_written_q  `Q written;
endtask

// Stage 7: the warp tries again in the next cycle.
task automatic write_wait();
  up_late_d        = 1'b1;
  up_stall_d       = fet_at_q + 1'b1;
  up_board_d.cause = WaitStall;  // the counter comes first
endtask

// Stage 8, an issue: a result of fixed latency will be written. And whenever the time moves from
// which writes are counted (next_mem).
task automatic write_note();
  logic [4:0] behind;
  behind = 5'(WritesBefore) + up_class_d.latency[4:0];
  write_move();
  if (up_class_d.ports && write_ports_q && up_class_d.latency <= 16'(WritesBehind))
    up_wrote_d = up_wrote_d | (WritesW'(fet_head_q.dst) << {behind, 1'b0});
endtask

task automatic write_move();
  full_t since;
  since      = up_next_d - fet_after_q;
  up_wrote_d = since < 32'(WritesW/2) ? fet_wrote_q >> {since[4:0], 1'b0} : '0;
endtask

// Stage 8, scrubbing: writes of long ago are over.
task automatic write_scrub();
  full_t since;
  since      = reached_i - fet_after_q;
  up_wrote_d = !scrub_all_q && (since < 32'(ScrubMargin) || since[31]) ? fet_wrote_q : '0;
endtask
