// Command port: beats of 64 bytes from the host, one payload word per clock.
//
// Packets and line words go to the buffers of their warp; if the warp stands without instruction,
// or the memory stage of its SM without line word, a wake-up follows, at the last word of the
// beat. A Launch becomes a visit.
// Reads  the command port, needs_mem, the visits in fetch and update.
// Writes the buffers and their write pointers, the wake queue, parameters, classes.
task automatic reset_command();
  beat_valid_q  `Q 1'b0;
  wake_wr_q     `Q '0;
  cmd_ready_o   <= 1'b0;
  reset_params();
endtask

task automatic command();
`ifdef HEDDLE_NBA
  scrubs_d = 1'b0;
`else
  // the beat that comes waits if scrubbing begins
  scrubs_d = cmd_valid_i && cmd_ready_o && reached_i - scrub_last >= scrub_period_q;
`endif
  if (cmd_valid_i && cmd_ready_o) begin
    beat_q       `Q cmd_i;
    beat_valid_q `Q 1'b1;
    beat_word_q  `Q 2'd1;
  end
  beat_done_d = 1'b0;
  // after a reset the counts of each warp's buffers are cleared, behind its initialisation visit
  counts_clear_d = init;
  if (counts_clear_d || (beat_valid_q && !init && !flushing && !scrub && !scrubs_d)) begin
    command_step();
  end
  // In the clock after a beat was taken its first word is worked off, unless that happened now.
  cmd_ready_o <= !init && (beat_done_d || (!beat_valid_q && !(cmd_valid_i && cmd_ready_o)));
endtask

task automatic command_step();
  logic [WakeBits-1:0] used;
  used = wake_wr_q - wake_rd_q;
  packets_we_d = counts_clear_d;
  packets_d    = '0;
  counts_id_d  = sel_id;
  if (counts_clear_d) begin
    // the command waits
  end else if (used != {WakeBits{1'b1}}) begin
    command_d   = beat_q[CommandW-1:0];
    beat_done_d = 1'b1;
    case (command_d.kind)
      CmdPackets: command_word();
      CmdLaunch: begin
        if (launch_pend) beat_done_d = 1'b0;
        else command_launch();
      end
      CmdSet:     command_set();
      CmdClass:   classes_mem[command_d.id[5:0]] `Q command_d.value;
      CmdFlushL1: begin

        flush_begins <= 1'b1;
      end
      default: ;  // for the other engine
    endcase
    beat_valid_q `Q !beat_done_d;
  end
  if (packets_we_d) packet_wr_mem[counts_id_d] `Q packets_d;
endtask

// One payload word: a packet, or one or two line words.
task automatic command_word();
  warp_id_t     id;
  logic [127:0] word;
  logic [1:0]   kind;
  logic         wake;
  ptr_t         packets;
  id   = {command_d.sm[SmBits-1:0], command_d.warp[SubBits-1:0], command_d.warp[5:SubBits]};
  word = beat_q[beat_word_q*128 +: 128];
  kind = command_d.types[(beat_word_q - 2'd1)*2 +: 2];
  if (kind == 2'd0) begin
    packets = packet_wr_mem[id];
    buffer_mem[{id, packets[BufferBits-1:0]}]  `Q word[127:64];
    operand_mem[{id, packets[BufferBits-1:0]}] `Q {word[43:0], word[63:47]};
    packets_we_d = 1'b1;
    packets_d    = packets + 1'b1;
  end else begin
    lines_come  <= 1'b1;
    lines_id    <= id;
    lines_two   <= kind == 2'd2;
    lines_words <= word;
  end
  counts_id_d = id;
  beat_done_d = beat_word_q == command_d.words;
  wake = needs_mem[id] || kind != 2'd0 || lines_wanted;
  // A visit that read the buffer before may leave the warp without instruction just now; a pass of
  // the memory stage may find no line word just now.
  if (Pipelined)
    wake = wake || (fet_valid && fet_id == id) || (cod_valid && cod_id == id)
           || (loo_valid && loo_id == id) || (upd_valid && upd_id == id);
  if (beat_done_d && wake) push_wake(1'b0);
  beat_word_q `Q beat_word_q + 1'b1;
endtask

task automatic command_launch();
  launch_q     <= 1'b1;
  launch_sm_q  <= command_d.sm[SmBits-1:0];
  launch_at_q  <= TimeW'(command_d.at);
  push_wake(1'b1);
  launch_pend  <= 1'b1;
  launch_sm    <= command_d.sm[SmBits-1:0];
  launch_cta   <= command_d.cta;
  launch_warps <= command_d.warps;
  launch_at    <= command_d.at;
endtask

task automatic push_wake(input logic launch);
  wake_d.launch = launch;
  wake_d.sm     = command_d.sm[SmBits-1:0];
  wake_d.warp   = {command_d.warp[SubBits-1:0], command_d.warp[5:SubBits]};
  wake_d.cta    = command_d.cta;
  wake_d.constants = command_d.id[6:0];
  wake_mem[wake_wr_q]      `Q wake_d;
  wake_at_mem[wake_wr_q]   `Q TimeW'(command_d.at);
  wake_wr_q `Q wake_wr_q + 1'b1;
endtask
