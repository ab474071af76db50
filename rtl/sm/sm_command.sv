/// Command port of the SM engine: beats of 64 bytes from the host.
///
/// Two beats are held, so that one may come in every clock; the older one is worked off. Its
/// packets enter the buffer of their warp all at once, its line words one payload word a clock (all
/// at once without Pipelined). If the warp stands without instruction, or the memory stage of its
/// SM without line word, a wake-up follows, in the last clock of the beat. A Launch becomes a
/// visit. What is asked of others is high for one clock.
/// Latency: a clock until a beat is worked off, another until its wake-up or launch is shown.
/// Throughput: a beat each clock, or one for each of its payload words with line words.
/// Rules: cmd_i is taken when cmd_valid_i and cmd_ready_o. needs_i and lines_wanted_i are of warp
/// id_o and SM sm_o; they count what a visit or a pass may just read, since that sees the state
/// before this clock. wake_pop_i takes the word that is shown.
`include "cell/one_hot.svh"
`include "cell/stage.svh"
`include "heddle_assert.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
module sm_command #(`SM_PARAMETERS) (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic              busy_o,         /// a beat is here, or a wake-up waits

  input  logic              cmd_valid_i,
  input  logic [511:0]      cmd_i,
  output logic              cmd_ready_o,

  input  logic              init_i,         /// memories are initialised: no beat comes,
  input  logic              hold_i,         /// or scrubbed, or emptied: none is worked off
  input  logic              launch_hold_i,  /// no launch: the memory stage writes its CTAs now

  // the beat that is worked off
  output logic [511:0]      beat_o,
  output logic              look_o,         /// it has packets or line words of
  output logic [IdW-1:0]    id_o,           /// this warp
  output logic [SmBits-1:0] sm_o,           /// its SM, or that of a launch
  input  logic              needs_i,        /// the warp may stand without instruction,
  input  logic              lines_wanted_i, /// the memory stage without line word
  input  logic              fet_valid_i,    /// a visit is in stage fetch,
  input  logic [IdW-1:0]    fet_id_i,       /// of this warp

  // what is asked of others
  output logic [2:0]        packets_o,      /// these payload words are packets
  output logic [2:0]        lines_o,        /// these have line words, and it is their turn
  output logic [2:0]        line_twos_o,    /// both halves of the word are one, else the low one
  output logic              set_o,          /// a parameter,
  output logic              class_o,        /// or a row of the class table
  output logic [15:0]       number_o,       /// of this number
  output logic [31:0]       value_o,        /// gets this value
  output logic              flush_o,        /// L1 is emptied
  output logic              launch_o,       /// a launch
  output logic [CtaBits-1:0] launch_cta_o,  /// CTA slot,
  output logic [5:0]        launch_warps_o, /// warps of the CTA
  output logic [31:0]       launch_at_o,    /// the first may issue at

  // wake-ups and launches, to select
  output logic              wake_valid_o,
  output logic [IdW+CtaBits+7:0] wake_o,    /// wake_t
  output logic [TimeW-1:0]  wake_at_o,      /// of a launch
  input  logic              wake_pop_i
);
`include "heddle_import.svh"
  localparam int WakeBits = 4;              // entries of the queue
  localparam int WakeW    = IdW + CtaBits + 8;

  // The older beat is a register, for its warp's number is what large memories are read with.
  logic [511:0]      beat_q, behind_q;      // the older one, the other one
  logic [1:0]        count_q;               // beats held
  logic [2:0]        done_q;                // its payload words whose line words are done

  logic              here, wake, ends;      // a beat; a wake-up follows; the beat is worked off
  logic              takes;                 // another beat comes
  logic [WakeBits:0] wakes;
  logic [511:0]      beat;
  /* verilator lint_off UNUSEDSIGNAL */     // a part
  command_t          command;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [2:0]        now;                   // those that are done now
  logic              last_waits_q;          // the last wake-up has not reached stage fetch,
  logic              last_popped_q;         // but left the queue
  logic [IdW-1:0]    last_id_q;             // its warp
  logic              waking;                // it will do for this beat as well

  assign here        = count_q != '0;
  assign cmd_ready_o = !init_i && !count_q[1];
  assign busy_o      = here || wake_valid_o;
  assign beat_o      = beat;

  always_comb begin : oldest
    if (`WANTED(here)) begin
      beat           = beat_q;
      command        = beat[CommandW-1:0];
      sm_o           = command.sm[SmBits-1:0];
      id_o           = {sm_o, command.warp[SubBits-1:0], command.warp[5:SubBits]};
      number_o       = command.id;
      value_o        = command.value;
      launch_cta_o   = command.cta;
      launch_warps_o = command.warps;
      launch_at_o    = command.at;
    end
  end

  logic free;                               // the beat may be worked at
  always_comb begin : kind
    look_o  = 1'b0;
    free    = 1'b0;
    // apart from the others: whether the memory stage works depends on it, and they on that
    flush_o = 1'b0;
    if (here) begin
      look_o  = command.kind == CmdPackets;
      free    = !hold_i && !wakes[WakeBits];
      flush_o = free && command.kind == CmdFlushL1;
    end
  end

  always_comb begin : work
    logic [2:0] used, lines, left;
    packets_o   = '0;
    lines_o     = '0;
    line_twos_o = '0;
    set_o       = 1'b0;
    class_o     = 1'b0;
    launch_o    = 1'b0;
    wake        = 1'b0;
    ends        = 1'b0;
    now         = '0;
    used        = '0;
    lines       = '0;
    left        = '0;
    if (free) begin
      ends = 1'b1;
      case (command.kind)
        CmdPackets: begin
          used  = {&command.words, command.words[1], |command.words};
          lines = used & {|command.types[5:4], |command.types[3:2], |command.types[1:0]};
          left  = lines & ~done_q;
          now   = Pipelined ? `FIRST_ONE(left) : left;
          if (done_q == '0) packets_o = used & ~lines;
          lines_o     = now;
          line_twos_o = {command.types[5], command.types[3], command.types[1]};
          ends        = left == now;
          wake        = ends && !waking && (needs_i || (lines_wanted_i && lines != '0));
        end
        CmdLaunch: begin
          ends     = !launch_hold_i;
          launch_o = ends;
          wake     = ends;
        end
        CmdSet:     set_o   = 1'b1;
        CmdClass:   class_o = 1'b1;
        default: ;                          // CmdFlushL1; or for the other engine
      endcase
    end
  end

  fifo #(.Width(WakeW + TimeW), .Bits(WakeBits)) wake_fifo (
    .clk_i, .rst_ni, .push_i(wake),
    .word_i({launch_o, id_o, launch_cta_o, number_o[6:0], launch_at_o[TimeW-1:0]}),
    .count_o(wakes), .valid_o(wake_valid_o), .word_o({wake_o, wake_at_o}), .pop_i(wake_pop_i)
  );

  always_ff @(posedge clk_i) begin : beats
    `RULES(rules)
    if (!rst_ni) begin
      count_q <= '0;
      done_q  <= '0;
    end else if (cmd_valid_i || here) begin
      takes = cmd_valid_i && cmd_ready_o;
      if (ends && count_q[1]) `STORE(beat_q, behind_q);
      else if (takes && (!here || ends)) `STORE(beat_q, cmd_i);
      if (takes && here && !ends) `STORE(behind_q, cmd_i);
      count_q <= count_q + 2'(takes) - 2'(ends);
      done_q  <= ends ? '0 : done_q | now;
    end
  end

  // Several beats for a warp need one wake-up, of which the visit sees all that has come by then.
  // Its sub-core has one visit at a time, so the first one of this warp in stage fetch is that one.
  logic fetched;
  always_comb begin : last
    fetched = 1'b0;
    waking  = 1'b0;
    if (last_waits_q) begin
      fetched = fet_valid_i && fet_id_i == last_id_q;
      waking  = here && !fetched && id_o == last_id_q;
    end
  end

  always_ff @(posedge clk_i) begin : lasts
    if (!rst_ni) begin
      last_waits_q  <= 1'b0;
      last_popped_q <= 1'b0;
    end else if (wake || last_waits_q) begin
      if (wake) begin
        last_waits_q  <= !launch_o;
        last_popped_q <= 1'b0;
        last_id_q     <= id_o;
      end else begin
        if (wake_pop_i && wakes == (WakeBits+1)'(1)) last_popped_q <= 1'b1;
        if (fetched && (last_popped_q || (wake_pop_i && wakes == (WakeBits+1)'(1))))
          last_waits_q <= 1'b0;
      end
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  task automatic rules();
    if (rst_ni) begin
      // a third beat would overwrite one that waits
      `ASSERT(CommandsHeld, count_q <= 2'd2)
      `ASSERT_IF(WordInBeat, look_o, command.words != '0)
      // a CTA of a launch has warps, else its end would never be reported
      `ASSERT_IF(LaunchWarps, here && command.kind == CmdLaunch, command.warps != '0)
      `ASSERT_IF(InitNoCommand, init_i, !here)
      // what is deduced from a wake-up that waits: a wake-up has been asked for
      `ASSERT_IF(WakeWaits, last_waits_q && !last_popped_q, wakes != '0)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  endtask
`endif
endmodule
