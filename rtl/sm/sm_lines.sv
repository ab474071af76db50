/// Memory stage: line words of the warps, from the command port to the look-up in L1.
///
/// A warp's words are a ring; the even ones and the odd ones lie in two memories, so that two come
/// in a clock. Pointers count words.
/// Latency: a word is seen in the clock after it came. Throughput: two words come and one is used
/// each clock.
/// Rules: as sm_passes. The host sends no more words than there is room for.
`include "heddle_assert.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
module sm_lines #(`SM_PARAMETERS) (
  input  logic                clk_i,
  // command port
  input  logic                cmd_look_i,    /// a beat of this warp is worked off:
  input  logic [IdW-1:0]      cmd_id_i,
  /* verilator lint_off UNUSEDSIGNAL */      // but for the command
  input  logic [511:0]        cmd_beat_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [2:0]          cmd_lines_i,   /// these payload words have line words, and come;
                                             /// Pipelined one at most
  input  logic [2:0]          cmd_twos_i,    /// two, else one
  output logic                cmd_wanted_o,  /// its SM waits for words, or may find none just now
  input  logic                clear_i,       /// after reset: a warp has none,
  input  logic [IdW-1:0]      clear_id_i,    /// this one

  // memory stage
  input  logic                rst_ni,
  input  logic                nxt_valid_i,   /// a visit begins,
  input  logic [SmBits-1:0]   nxt_sm_i,      /// to this SM
  input  logic                ptr_line_i,    /// a line is looked up:
  input  logic [IdW-1:0]      ptr_id_i,      /// of this warp
  output logic                wrd_there_o,   /// its word has come
  output logic                act_there_o,
  output logic [63:0]         mis_line_o,    /// line_t
  output logic [2:0]          act_sectors_o, /// so many sectors
  output logic [63:0]         act_line_o,
  input  logic                act_line_i,    /// the line is done
  input  logic                act_none_i,    /// there was none: the pass ends here,
  input  logic [SmBits-1:0]   act_sm_i       /// of this SM
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
  logic [LineW-1:0] even_mem [MaxSm*WarpsPerSm << (BufferBits - 1)];
  logic [LineW-1:0] odd_mem [MaxSm*WarpsPerSm << (BufferBits - 1)];
  logic [15:0]      written_mem [MaxSm*WarpsPerSm];
  ptr_t             read_mem [MaxSm*WarpsPerSm];

  // ---------------------------------------------------------------- command port
  logic [15:0]  cmd_written, cmd_now;        // words so far
  logic [127:0] cmd_word;
  logic         cmd_two, cmd_swap;           // the first is an odd one
  logic [BufferBits-2:0] cmd_even;
  assign cmd_written = written_mem[cmd_id_i];

  always_ff @(posedge clk_i) begin : come
    if (cmd_lines_i != '0 || clear_i) begin
      cmd_now = cmd_written;
      for (int n = 0; n < (Pipelined ? 1 : 3); n++)
        if (Pipelined || cmd_lines_i[n]) begin
          cmd_word = cmd_beat_i[n*128 + 128 +: 128];
          cmd_two  = cmd_twos_i[n];
          if (Pipelined) begin
            cmd_word = cmd_lines_i[0] ? cmd_beat_i[128 +: 128]
                                      : cmd_lines_i[1] ? cmd_beat_i[256 +: 128]
                                                       : cmd_beat_i[384 +: 128];
            cmd_two  = (cmd_lines_i & cmd_twos_i) != '0;
          end
          cmd_swap = cmd_now[0];
          cmd_even = cmd_now[BufferBits-1:1] + (BufferBits-1)'(cmd_swap);
          if (cmd_lines_i != '0 && (cmd_two || !cmd_swap))
            `STORE(even_mem[{cmd_id_i, cmd_even}], cmd_swap ? cmd_word[127:64] : cmd_word[63:0]);
          if (cmd_lines_i != '0 && (cmd_two || cmd_swap))
            `STORE(odd_mem[{cmd_id_i, cmd_now[BufferBits-1:1]}],
                   cmd_swap ? cmd_word[63:0] : cmd_word[127:64]);
          cmd_now = cmd_now + (cmd_two ? 16'd2 : 16'd1);
        end
      `STORE(written_mem[clear_i ? clear_id_i : cmd_id_i], clear_i ? '0 : cmd_now);
    end
  end

  // ---------------------------------------------------------------- memory stage
  warp_id_t wrd_id, mis_id, tag_id, act_id;
  ptr_t     wrd_read, mis_read, tag_read, act_read, wrd_written;
  logic     wrd_line, wrd_there, mis_there, tag_there, act_there;
  logic [LineW-1:0] mis_even, mis_odd, mis_word, tag_word, act_word;
  `STAGE(wrd_line, ptr_line_i)
  `STAGE(wrd_id, ptr_id_i)
  `STAGE_WANTED(wrd_read, read_mem[ptr_id_i], ptr_line_i)
  `STAGE_WANTED(wrd_written, written_mem[ptr_id_i][BufferBits:0], ptr_line_i)
  assign wrd_there   = wrd_line && wrd_read != wrd_written;
  assign wrd_there_o = wrd_there;
  `STAGE(mis_there, wrd_there)
  `STAGE(tag_there, mis_there)
  `STAGE(act_there, tag_there)
  assign act_there_o = act_there;
  `STAGE_WANTED(mis_even, even_mem[{wrd_id, wrd_read[BufferBits-1:1]}], wrd_there && !wrd_read[0])
  `STAGE_WANTED(mis_odd, odd_mem[{wrd_id, wrd_read[BufferBits-1:1]}], wrd_there && wrd_read[0])
  `STAGE(mis_id, wrd_id)
  `STAGE(tag_id, mis_id)
  `STAGE(act_id, tag_id)
  `STAGE(mis_read, wrd_read)
  `STAGE(tag_read, mis_read)
  `STAGE(act_read, tag_read)
  assign mis_word = mis_read[0] ? mis_odd : mis_even;
  `STAGE(tag_word, mis_word)
  `STAGE(act_word, tag_word)
  assign mis_line_o = mis_word;
  assign act_line_o = act_word;
  /* verilator lint_off UNUSEDSIGNAL */      // a part
  line_t      mis_fields;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [2:0] mis_sectors, tag_sectors;
  assign mis_fields = mis_word;
  always_comb begin : count
    if (`WANTED(mis_there))
      mis_sectors = 3'(mis_fields.sectors[0]) + 3'(mis_fields.sectors[1])
                    + 3'(mis_fields.sectors[2]) + 3'(mis_fields.sectors[3]);
  end
  `STAGE(tag_sectors, mis_sectors)
  `STAGE(act_sectors_o, tag_sectors)

  // A word that comes while a visit has looked for it, or behind one that found none, wakes the SM.
  logic [MaxSm-1:0] waits_q;
  logic cmd_waits;
  logic mis_line, tag_line, act_line;
  sm_t  cmd_sm;
  `STAGE_VALID(mis_line, wrd_line)
  `STAGE_VALID(tag_line, mis_line)
  `STAGE_VALID(act_line, tag_line)
  assign cmd_sm = cmd_id_i[IdW-1 -: SmBits];
  assign cmd_wanted_o = cmd_look_i && cmd_waits;
  assign cmd_waits    = waits_q[cmd_sm] || (ptr_line_i && ptr_id_i[IdW-1 -: SmBits] == cmd_sm)
                        || (Pipelined && ((wrd_line && wrd_id[IdW-1 -: SmBits] == cmd_sm)
                                          || (mis_line && mis_id[IdW-1 -: SmBits] == cmd_sm)
                                          || (tag_line && tag_id[IdW-1 -: SmBits] == cmd_sm)
                                          || (act_line && act_id[IdW-1 -: SmBits] == cmd_sm)));
  always_ff @(posedge clk_i) begin : waits
    if (!rst_ni) begin
      waits_q <= '0;
    end else begin
      if (nxt_valid_i) waits_q[nxt_sm_i] <= 1'b0;
      if (act_none_i) waits_q[act_sm_i] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin : used
    if (clear_i || act_line_i)
      `STORE(read_mem[clear_i ? clear_id_i : act_id], clear_i ? '0 : act_read + 1'b1);
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (!clear_i) begin
      `ASSERT_IF(LineCame, act_line_i, act_there)
      // the host sends no more line words than there is room for
      `ASSERT_IF(LineRoom, wrd_line,
                 ptr_t'(wrd_written - wrd_read) <= ptr_t'(1 << BufferBits))
    end
    rules_clock = rules_clock + 1;
  end
`endif
endmodule
