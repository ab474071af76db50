/// Runs the engines: one run takes the commands that are there, opens windows until the time that
/// the host allows is reached or a warp has no packet, writes the events and the report.
///
/// Commands up to command_first_i are taken before time passes. What is behind them is Packets,
/// which change no cycle, whenever they come: they stream in while replies are delivered and while
/// the SMs work. What is not asked for when the time is reached waits in the ring for the next
/// run. A run that goes on inside a window, because the one before it had filled the event ring,
/// takes its commands when that window is done, or its SMs are parked.
///
/// A window is a stretch of target time in which nothing that one engine does can reach the other:
/// its length is at most the latency of the network either way. It begins at the earliest time at
/// which an engine has anything to do, so that idle cycles cost nothing. An SM without packets
/// stays inside its window (parked): the run ends, and the next one goes on with it. A run may end
/// in mid-window because the event ring is full; the next one goes on from there as well.
/// Latency: about twenty clocks per run and five per window beside what the engines take.
/// Throughput: one window at a time; a command each clock.
/// Rules: no output depends on an input of the same clock, but for the handshake of commands.
/// start_i stays until done_o. An engine gets its go when it is idle and no command is under way,
/// net_engine first; sm_engine gets it after net_replied_i. window_end_o and reached_o do not
/// change while a window is open.
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // values inside one clock
module heddle_run #(
  parameter int TimeBits = 32             /// that the SMs keep of a time
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  // to and from heddle_control
  input  logic         start_i,
  output logic         done_o,
  input  logic [31:0]  run_until_i,
  input  logic         deliver_i,
  input  logic [31:0]  command_first_i,
  output logic [31:0]  clocks_o,          /// clocks of this run
  output logic         clocks_valid_o,    /// a run ends: add them
  output logic         window_o,          /// a window is opened

  // commands, from command_reader to the engines
  output logic         command_enable_o,
  input  logic         command_done_i,
  input  logic         command_quiet_i,   /// no beat of the ring is on its way
  input  logic [31:0]  commands_i,
  input  logic         command_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */   // the first word is all that is looked at
  input  logic [511:0] command_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic         command_ready_o,
  output logic         sm_command_valid_o,
  input  logic         sm_command_ready_i,
  output logic         net_command_valid_o,
  input  logic         net_command_ready_i,

  // engines
  output logic         sm_go_o,           /// one clock: advance to window_end_o
  input  logic         sm_idle_i,         /// low from the clock after go or a command until done
  input  logic         sm_parked_i,       /// with sm_idle_i: the window goes on when packets come
  input  logic [32:0]  sm_next_i,         /// {never, time} of the next work, with sm_idle_i
  input  logic         rested_i,          /// engines have nothing left of the window, but commands
  output logic         net_go_o,
  input  logic         net_idle_i,
  input  logic         net_replied_i,     /// the replies of this window can be taken
  input  logic [32:0]  net_next_i,
  input  logic [3:0]   fault_i,           /// enum fault: of an engine or a ring
  output logic [31:0]  window_end_o,
  output logic [31:0]  reached_o,         /// everything before is simulated

  // to and from event_writer
  input  logic         events_full_i,
  output logic         flush_o,
  input  logic         flushed_i,
  input  logic         events_empty_i,
  input  logic [31:0]  events_i,
  output logic         report_valid_o,
  output logic [223:0] report_o,          /// upper bits of word report
  input  logic         report_done_i
);
  // Times in an SM lie ahead by less than this many bits can say (sm/sm_scrub.sv).
  localparam int AheadBits = (TimeBits > 30 ? 30 : TimeBits) - 3;
  localparam logic [31:0] Ahead = 32'd1 << AheadBits;
  typedef enum logic [3:0] {
    Idle, Deliver, Settle, Open, Go, Replies, Advance, Work, Drain, Flush, Report
  } state_e;

  state_e      state_q, resume_q;
  logic        open_q;                    // a window is open, its SMs wait for packets
  logic        rested_q;
  logic        passed_q;                  // the run before has taken all up to command_first_i
  logic        delivered;                 // all up to there is taken
  logic [3:0]  stop_q, fault_q;
  logic [31:0] run_q, window_end_q, reached_q, clocks_q;
  logic [31:0] window_q, net_request_q, net_reply_q;   // parameters
  logic [31:0] length_q;                  // of a window: the least of them
  logic        for_sm, for_net, packets, streams;
  /* verilator lint_off UNUSEDSIGNAL */   // the low bits
  logic [31:0] launch_ahead;              // of a Launch
  /* verilator lint_on UNUSEDSIGNAL */
  logic        far_launch;                // farther ahead than a time in an SM may lie
  // inside one clock
  logic [31:0] sm_ahead, net_ahead, ahead;  // so much behind reached_q: next of ..., run_until_i
  logic [31:0] far_end;
  logic [32:0] next;
  logic        net_first, due, cut, fault, pending;
  logic [31:0] behind;                    // commands to be taken before time passes, if positive
  /* verilator lint_off UNUSEDSIGNAL */   // most fields are the engines' affair
  heddle_pkg::command_t command;
  heddle_pkg::report_t  report;           // the reserved bits stay here
  /* verilator lint_on UNUSEDSIGNAL */

  // ---------------------------------------------------------------- commands
  assign command = command_i[127:0];
  assign for_sm  = command.kind == heddle_pkg::CmdPackets || command.kind == heddle_pkg::CmdLaunch
                   || command.kind == heddle_pkg::CmdSet || command.kind == heddle_pkg::CmdClass
                   || command.kind == heddle_pkg::CmdFlushL1;
  assign for_net = command.kind == heddle_pkg::CmdDramReply || command.kind == heddle_pkg::CmdSet
                   || command.kind == heddle_pkg::CmdFlushL2
                   || command.kind == heddle_pkg::CmdFillL2
                   || command.kind == heddle_pkg::CmdUnpinL2
                   || command.kind == heddle_pkg::CmdRemote;
  assign launch_ahead = command.at - reached_q;
  assign far_launch   = command.kind == heddle_pkg::CmdLaunch
                        && launch_ahead[31:AheadBits] != '0;
  assign packets          = command.kind == heddle_pkg::CmdPackets
                            || command.kind == heddle_pkg::CmdNone;
  assign command_enable_o = state_q == Deliver || state_q == Replies || state_q == Work
                            || (state_q == Drain && deliver_i);
  // A window whose work is done ends first: engines that take commands are never idle.
  assign streams = packets && (state_q == Replies || (state_q == Work && !rested_q)
                               || state_q == Drain);
  assign delivered        = passed_q || commands_i == command_first_i;
  assign command_ready_o  = (streams || (state_q == Deliver && !delivered))
                            && !far_launch && (!for_sm || sm_command_ready_i)
                            && (!for_net || net_command_ready_i);
  assign sm_command_valid_o  = command_valid_i && command_ready_o && for_sm;
  assign net_command_valid_o = command_valid_i && command_ready_o && for_net;

  assign window_end_o   = window_end_q;
  assign reached_o      = reached_q;
  assign net_go_o       = state_q == Go;
  assign window_o       = state_q == Go;
  assign sm_go_o        = state_q == Advance && sm_idle_i;
  assign flush_o        = state_q == Flush || state_q == Report;
  assign report_valid_o = state_q == Report;
  assign done_o         = state_q == Report && report_done_i;
  assign clocks_o       = clocks_q;
  assign clocks_valid_o = done_o;

  // What the engines do next, and what the host is told.
  always_ff @(posedge clk_i) begin : look_ahead
    if (state_q == Open || state_q == Flush) begin
      sm_ahead  = sm_next_i[31:0] - reached_q;
      net_ahead = net_next_i[31:0] - reached_q;
      net_first = !net_next_i[32] && (sm_next_i[32] || net_ahead < sm_ahead);
      next      = net_first ? net_next_i : sm_next_i;
      ahead     = run_until_i - reached_q;
      // for both engines, so that the comparison of their times decides last
      due       = !next[32] && !ahead[31] && (net_first ? net_ahead < ahead : sm_ahead < ahead);
      cut       = net_first ? ahead < net_ahead + length_q : ahead < sm_ahead + length_q;
      far_end   = cut ? run_until_i
                  : net_first ? net_next_i[31:0] + length_q : sm_next_i[31:0] + length_q;
    end
    if (state_q == Flush) begin
      report          = '0;
      report.run      = run_q;
      report.stop     = stop_q;
      report.fault    = fault_q;
      report.never    = next[32];
      report.next     = next[31:0];
      report.reached  = reached_q;
      report.commands = commands_i;
      report.events   = events_i;
      report.clocks   = clocks_q;
      if (!events_empty_i && stop_q != heddle_pkg::StopFault)
        report.stop = heddle_pkg::StopEventsFull;
      report_o <= report[511:288];
    end
    if (!rst_ni) begin
      state_q       <= Idle;
      resume_q      <= Deliver;
      open_q        <= 1'b0;
      stop_q        <= heddle_pkg::StopReached;
      fault_q       <= heddle_pkg::FaultNone;
      run_q         <= '0;
      window_end_q  <= '0;
      reached_q     <= '0;
      clocks_q      <= '0;
      window_q      <= 32'(heddle_pkg::DefaultWindow);
      net_request_q <= 32'(heddle_pkg::DefaultNetRequest);
      net_reply_q   <= 32'(heddle_pkg::DefaultNetReply);
      length_q      <= '0;
      rested_q      <= 1'b0;
      passed_q      <= 1'b0;
    end else begin
      clocks_q <= (state_q == Idle) ? '0 : clocks_q + 1;
      fault     = fault_q != heddle_pkg::FaultNone;
      behind    = command_first_i - commands_i;
      pending   = behind != '0 && !behind[31];
      if (!fault) fault_q <= fault_i;
      rested_q <= rested_i;
      case (state_q)
        Idle: if (start_i) begin
          run_q    <= run_q + 1;
          passed_q <= behind[31];
          state_q  <= resume_q;
        end
        // take what the host has put into the ring
        Deliver: begin
          if (command_valid_i && command_ready_o) begin
            if (command.kind == heddle_pkg::CmdSet) begin
              if (32'(command.id) == heddle_pkg::ParamWindow) window_q <= command.value;
              if (32'(command.id) == heddle_pkg::ParamNetRequest) net_request_q <= command.value;
              if (32'(command.id) == heddle_pkg::ParamNetReply) net_reply_q <= command.value;
            end else if (!for_sm && !for_net && command.kind != heddle_pkg::CmdNone) begin
              fault_q <= heddle_pkg::FaultCommand;
            end
          end
          // Idle time passes without a run: a Launch may lie far ahead, if nothing else is to come.
          if (command_valid_i && far_launch && sm_idle_i && net_idle_i) begin
            if (open_q || !sm_next_i[32] || !net_next_i[32] || launch_ahead[31])
              fault_q <= heddle_pkg::FaultLaunch;
            else
              reached_q <= (command.at - run_until_i < Ahead) ? run_until_i
                           : command.at - (Ahead >> 1);  // others are near it
          end
          if (delivered) state_q <= Settle;
        end
        // wait until the engines have digested it
        Settle: if (sm_idle_i && net_idle_i) begin
          resume_q <= Deliver;
          state_q  <= deliver_i ? Drain : open_q ? Work : Open;
          stop_q   <= heddle_pkg::StopDelivered;
          length_q <= (window_q < net_request_q && window_q < net_reply_q) ? window_q
                      : (net_request_q < net_reply_q) ? net_request_q : net_reply_q;
        end
        // the next window, if the host allows time to go on
        Open: if (sm_idle_i && net_idle_i) begin
          if (due) begin
            window_end_q <= far_end;
            reached_q    <= next[31:0];
            state_q      <= Go;
          end else begin
            if (!ahead[31]) reached_q <= run_until_i;
            stop_q  <= heddle_pkg::StopReached;
            state_q <= Drain;
          end
        end
        Go:      state_q <= Replies;
        Replies: if (net_replied_i) state_q <= Advance;
        Advance: if (sm_idle_i) state_q <= Work;
        Work: if (sm_idle_i && net_idle_i && (!sm_parked_i || command_done_i || pending)) begin
          resume_q <= Deliver;
          open_q   <= sm_parked_i;
          stop_q   <= heddle_pkg::StopParked;
          state_q  <= pending ? Deliver : sm_parked_i ? Flush : Open;
          // a run that ends in this clock leaves the window to the next one, as it is
          if (!sm_parked_i && !events_full_i) reached_q <= window_end_q;
        end
        // The rest of the ring, for a run that simulates nothing; else what is on its way, for
        // between two runs nobody would take it, and the bus would wait.
        Drain: if ((deliver_i ? command_done_i : command_quiet_i) && sm_idle_i && net_idle_i)
          state_q <= Flush;
        Flush:   if (flushed_i) state_q <= Report;
        default: if (report_done_i) state_q <= Idle;
      endcase
      if (command_valid_i && !packets && !pending && (state_q == Work || state_q == Drain))
        fault_q <= heddle_pkg::FaultCommand;
      // a full event ring ends the run where it is; an engine with a fault may never be idle again
      if (events_full_i || fault) begin
        if (state_q == Deliver || state_q == Settle || state_q == Open || state_q == Replies
            || state_q == Work || state_q == Drain) begin
          stop_q   <= fault ? heddle_pkg::StopFault : heddle_pkg::StopEventsFull;
          resume_q <= (!fault && (state_q == Replies || state_q == Work)) ? state_q : Deliver;
          state_q  <= Flush;
        end
      end
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned  rules_clock;
  state_e       was_state;
  logic         was_stop;                 // a fault or a full event ring ended the run
  logic [31:0]  was_reached, length;
  logic [3:0]   was_fault;
  logic         in_window;

  assign in_window = state_q inside {Go, Replies, Advance, Work};
  assign length    = window_end_q - reached_q;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT(RunLegal, state_q <= Report)
      `ASSERT(RunFollows, run_follows(was_state, state_q, was_stop))
      // what a run begins with, and goes back to when the event ring was full
      `ASSERT(ResumeLegal, resume_q inside {Deliver, Replies, Work})
      `ASSERT_IF(RunStarted, state_q != Idle, start_i)
      // engines get a window when they rest, and not before its first part is done
      `ASSERT_IF(NetGoIdle, state_q == Go, net_idle_i && sm_idle_i)
      `ASSERT_IF(AdvanceReplied, state_q == Advance, net_replied_i)
      // The length of a window: at most the latency of the network either way.
      `ASSERT_IF(WindowNotEmpty, in_window, length != '0)
      `ASSERT_IF(WindowLength, in_window, length <= length_q)
      `ASSERT_IF(LengthBound, in_window, length_q <= window_q && length_q <= net_request_q
                                         && length_q <= net_reply_q)
      `ASSERT_IF(WindowAllowed, in_window && fault_q == heddle_pkg::FaultNone,
                 run_until_i - window_end_q < 32'h8000_0000)
      `ASSERT(ReachedForward, reached_q - was_reached < 32'h8000_0000)
      `ASSERT_IF(OpenHasWindow, open_q, length != '0 && length <= length_q)
      `ASSERT_IF(DeliverToFirst, state_q == Deliver && !passed_q,
                 command_first_i - commands_i < 32'h8000_0000)
      `ASSERT_IF(RunFaultStays, was_fault != heddle_pkg::FaultNone,
                 fault_q != heddle_pkg::FaultNone)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
    was_state   = rst_ni ? state_q : Idle;
    was_stop    = events_full_i || fault_q != heddle_pkg::FaultNone;
    was_reached = rst_ni ? reached_q : '0;
    was_fault   = rst_ni ? fault_q : heddle_pkg::FaultNone;
  end

  /// a state of a run, and the one in the clock after
  function automatic logic run_follows(input state_e was, input state_e now, input logic stop);
    case (was)
      Idle:    run_follows = now inside {Idle, Deliver, Replies, Work};
      Deliver: run_follows = now inside {Deliver, Settle};
      Settle:  run_follows = now inside {Settle, Drain, Work, Open};
      Open:    run_follows = now inside {Open, Go, Drain};
      Go:      run_follows = now == Replies;
      Replies: run_follows = now inside {Replies, Advance};
      Advance: run_follows = now inside {Advance, Work};
      Work:    run_follows = now inside {Work, Flush, Open, Deliver};
      Drain:   run_follows = now inside {Drain, Flush};
      Flush:   run_follows = now inside {Flush, Report};
      default: run_follows = now inside {Report, Idle};
    endcase
    if (stop && was inside {Deliver, Settle, Open, Replies, Work, Drain})
      run_follows = now == Flush;
  endfunction
`endif
endmodule
