// Stage 10, row: when each warp of the sub-core may issue, its pipe included.
//
// An issue, or a credit to a full queue of the memory pipe, moves the time at which one pipe is
// free: all warps that want that pipe move as well, so that stage 2 has one time per warp to look
// at. While the queue is full the warps that want it are stopped, until the credit.
// Lanes are equal words of which nothing but the row is kept, so that the processor that simulates
// takes eight at a time.
// Reads  fet_ready_q, fet_class_q, what update found out about the warp and the pipe.
// Writes up_issue_at_d, ready_mem.

task automatic update_row();
  logic              full;
  logic [7:0]        pipes;
  // four bits a warp, of them the second: it wants another pipe
  logic [31:0]       others [WarpsPerSub/8];
  logic [31:0]       mine, which;  // the warp that is updated, or all
  logic [IssueW-1:0] lane, moved, flags, at, own;
  logic [WarpsPerSub*IssueW-1:0] lanes;
  full      = QueueBits'(up_sched_d.issued - up_sched_d.sent) >= QueueBits'(SlotEntries);
  up_full_d = full && up_pipe_d == MioPipe;
  if (up_piped_d) up_ready_d = latest(up_ready_d, up_piped_at_d);
  up_issue_at_d = {up_ready_d[NearW-1:0], up_lane_d != Starving,
                   up_lane_d == Stopped || (full && up_lane_d == MioPipe)
                   || (up_wait_d && up_stream_d.at[TimeW])};
  if (up_keep_d) up_issue_at_d = fet_ready_q[fet_visit_q.warp*IssueW +: IssueW];
  pipes = {2{up_pipe_d}};
  for (int h = 0; h < WarpsPerSub/8; h++) begin
    others[h] = fet_class_q[h*32 +: 32] ^ {4{pipes}};
    others[h] = others[h] | (others[h] >> 2);
    others[h] = others[h] | (others[h] << 1);
  end
  if (!up_free_we_d) begin
    for (int h = 0; h < WarpsPerSub/8; h++) others[h] = '1;
  end
  flags = {{NearW{1'b0}}, 1'b1, up_full_d};
  at    = {up_free_d[NearW-1:0], 2'd0};
  own   = up_issue_at_d;
  mine  = 32'(fet_visit_q.warp);
  which = up_init_d ? '0 : '1;
  for (int w = 0; w < WarpsPerSub; w++) begin
    lane  = fet_ready_q[w*IssueW +: IssueW];
    moved = lane - at;
    moved = moved[IssueW-1] ? at : lane;
    moved = (moved & ~(IssueW'(3))) | flags;
    lane  = others[w/8][4*(w%8) + 1] ? lane : moved;
    lane  = ((mine ^ w) & which) == '0 ? own : lane;
    lanes[w*IssueW +: IssueW] = lane;
  end
  if (up_release_d)
    for (int w = 0; w < WarpsPerSub; w++)
      if (fet_await_q[w] && lanes[w*IssueW])
        lanes[w*IssueW +: IssueW] = {fet_at_q[NearW-1:0], 2'b10};
  if (up_scrub_d) lanes = scrub_lanes();
  ready_mem[up_row_d] `Q lanes;
endtask
