// What commands change in the state of the engine itself: line words, and launches that no window
// knows of yet. The command port is sm_command.sv.
task automatic reset_launches();
  launched_q `Q '0;
endtask

task automatic command();
  time_t at;
  if (cmd_valid_i && cmd_ready_o) scrub_start();
  flush_d       = cmd_flush;
  launch_cta_d  = cmd_launch;
  next_launch_d = Never;
  if (init) line_wr_mem[sel_id] `Q '0;       // behind its initialisation visit
  if (cmd_lines != '0) begin
    if (Pipelined)
      write_lines(cmd_lines[0] ? cmd_beat[128 +: 128]
                  : cmd_lines[1] ? cmd_beat[256 +: 128] : cmd_beat[384 +: 128],
                  (cmd_lines & cmd_line_twos) != '0);
    else
      for (int n = 0; n < 3; n++)
        if (cmd_lines[n]) write_lines(cmd_beat[n*128 + 128 +: 128], cmd_line_twos[n]);
  end
  if (cmd_launch) begin
    at = TimeW'(cmd_launch_at);
    if (launched_q[cmd_sm] && earlier(launch_mem[cmd_sm], at)) at = launch_mem[cmd_sm];
    launch_mem[cmd_sm] `Q at;
    launched_q[cmd_sm] `Q 1'b1;
    next_launch_d      = {1'b0, TimeW'(cmd_launch_at)};
  end
endtask

// The line words of a payload word: one or two.
task automatic write_lines(input logic [127:0] word, input logic two);
  logic                  swap;
  logic [BufferBits-2:0] even;
  lines_d = line_wr_mem[cmd_id];
  swap    = lines_d[0];
  even    = lines_d[BufferBits-1:1] + (BufferBits-1)'(swap);
  if (two || !swap) even_mem[{cmd_id, even}] `Q swap ? word[127:64] : word[63:0];
  if (two || swap)
    odd_mem[{cmd_id, lines_d[BufferBits-1:1]}] `Q swap ? word[63:0] : word[127:64];
  line_wr_mem[cmd_id] `Q lines_d + (two ? 16'd2 : 16'd1);
endtask
