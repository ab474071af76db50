// Rules of the network engine, on ports, windows, commands and what goes to its modules; those of
// the slices stand in slice_rules.svh, those of the modules in the modules. heddle_assert.svh.
`ifdef HEDDLE_ASSERT
int unsigned  rules_clock;                 // clocks since reset
logic         was_window;                  // there was a window since reset
logic         was_ev;                      // an event was not taken
logic [127:0] was_ev_word;
logic [FaultW-1:0] was_fault;
phase_e       was_phase;
flush_e       was_flush;
slice_state_e was_slice_state;

task automatic rules();
  if (rst_ni) begin
    rules_ports();
    rules_windows();
    rules_commands();
    rules_nodes();
    rules_slices();
    rules_lines();
    rules_writes();
  end
  rules_clock     = rst_ni ? rules_clock + 1 : 0;
  was_window      = rst_ni && (was_window || go_i);
  was_ev          = rst_ni && ev_valid_o && !ev_ready_i;
  was_ev_word     = ev_o;
  was_fault       = rst_ni ? fault_o : FaultNone;
  was_phase       = rst_ni ? phase_q : Rest;
  was_flush       = rst_ni ? flush_q : FlushNone;
  was_slice_state = rst_ni ? slice_state_q : SliceIdle;
endtask

// ---------------------------------------------------------------- ports
task automatic rules_ports();
  event_t word;
  word = ev_o;
  `ASSERT_IF(EventHeld, was_ev, ev_valid_o)
  `ASSERT_IF(EventStable, was_ev, ev_o == was_ev_word)
  `ASSERT_IF(EventKind, ev_valid_o,
             word.kind inside {EvPerform, EvDramRead, EvDramWrite, EvRequest, EvReply})
  // the host reads the first fault only
  `ASSERT_IF(FaultStays, was_fault != FaultNone, fault_o == was_fault)
endtask

// ---------------------------------------------------------------- windows
task automatic rules_windows();
  `ASSERT(PhaseLegal, phase_q inside {Rest, Scrub, Clear, Extract, Serve})
  // otherwise a phase without work takes no clock
  `ASSERT_IF(PhaseFollows, Pipelined, phase_follows(was_phase, phase_q))
  `ASSERT_IF(GoWhenIdle, go_i, idle_o)
  `ASSERT_IF(GoWithoutCommand, go_i, !beat_valid_q && !(cmd_valid_i && cmd_ready_o))
  // idle: heddle_run may open a window, or report
  `ASSERT_IF(IdleRests, idle_o, phase_q == Rest && slice_state_q == SliceIdle)
  `ASSERT_IF(IdleNoFlush, idle_o, flush_q == FlushNone)
  `ASSERT_IF(IdleNoCommand, idle_o, !beat_valid_q)
  `ASSERT_IF(IdleNoRequest, idle_o, !ingress_busy && !send)
  `ASSERT_IF(IdleNoEvent, idle_o, !ev_valid_o && !perform_valid_q && !write_valid_q
                                  && !read_event_valid_q && !remote_valid_q)
  // The SMs may take replies when those of the window are all in their queues, and not before.
  `ASSERT_IF(RepliedLate, phase_q inside {Scrub, Clear, Extract}, !replied_o)
  `ASSERT_IF(RepliedThen, phase_q == Serve, replied_o)
  // nothing before a window's end is left behind
  `ASSERT_IF(NextNotPast, idle_o && was_window && !next_o[32],
             !due({1'b0, next_o[31:0]}, window_end_q))
  `ASSERT_IF(SlicesNextNotPast, phase_q == Rest && was_window,
             !due(slices_next_q, window_end_q))
  // sets that were never emptied hold anything
  `ASSERT_IF(ServeCleared, phase_q inside {Extract, Serve} && local_slices_q != '0
                           && fault_o == FaultNone, !clear_q)
  `ASSERT_IF(InitRests, init_q, phase_q == Rest && slice_state_q == SliceIdle && !beat_valid_q)
  `ASSERT(ScrubPeriod, scrub_period_q != '0 && scrub_period_q <= ScrubMost)
endtask

/// a phase, and the one in the clock after
function automatic logic phase_follows(input phase_e was, input phase_e now);
  case (was)
    Rest:    phase_follows = now inside {Rest, Scrub, Clear, Extract};
    Scrub:   phase_follows = now inside {Scrub, Clear, Extract};
    Clear:   phase_follows = now inside {Clear, Extract};
    Extract: phase_follows = now inside {Extract, Serve};
    default: phase_follows = now inside {Serve, Rest};
  endcase
endfunction

// ---------------------------------------------------------------- commands
task automatic rules_commands();
  command_t word;
  word = beat_q[CommandW-1:0];
  // a beat that is accepted would overwrite the one that waits
  `ASSERT_IF(CommandOne, cmd_ready_o, !beat_valid_q)
  // parameters do not change while messages are on their way through the slices
  `ASSERT_IF(CommandRests, beat_valid_q, phase_q == Rest)
  `ASSERT_IF(WhereOfBeat, where_valid_q, beat_valid_q)
  `ASSERT_IF(WhereInRange, where_valid_q && word.kind inside {CmdDramReply, CmdRemote},
             32'(where_q) < NumSlices)
  `ASSERT_IF(WordInBeat, beat_valid_q && word.kind == CmdRemote,
             word_q != '0 && word_q <= word.words)
  // commands that need the reciprocal wait for it
  `ASSERT_IF(DivideBeforeWindow, divide_start, !idle_o)
  `ASSERT_IF(SlicesInRange, fault_o == FaultNone,
             num_slices_q != '0 && 32'(num_slices_q) <= NumSlices)
  `ASSERT(FlushLegal, flush_q <= FlushScan)
  `ASSERT_IF(FlushFollows, Pipelined, flush_follows(was_flush, flush_q))
  // both read and write sets
  `ASSERT_IF(FlushAlone, flush_q != FlushNone, slice_state_q == SliceIdle)
  `ASSERT_IF(FlushSlice, flush_q inside {FlushRead, FlushWays, FlushScan},
             8'(flush_slice_q) < local_slices_q)
  `ASSERT_IF(FlushSet, flush_q inside {FlushRead, FlushWays, FlushScan}, flush_set_q < sets_q)
  `ASSERT_IF(FlushRow, flush_q inside {FlushRead, FlushWays, FlushScan},
             32'(flush_row_q) == 32'(flush_slice_q) * 32'(sets_q) + 32'(flush_set_q))
endtask

/// a state of the flush, and the one in the clock after
function automatic logic flush_follows(input flush_e was, input flush_e now);
  case (was)
    FlushNone:  flush_follows = now inside {FlushNone, FlushCheck};
    FlushCheck: flush_follows = now inside {FlushNone, FlushRead};
    FlushRead:  flush_follows = now == FlushWays;
    FlushWays:  flush_follows = now == FlushScan;
    default:    flush_follows = now inside {FlushScan, FlushRead, FlushNone};
  endcase
endfunction

// ---------------------------------------------------------------- nodes
task automatic rules_nodes();
  `ASSERT_IF(AllocFault, alloc_d && !alloc_ok_d, fault_o != FaultNone)
  // but for a reply that leaves for another instance at once
  `ASSERT_IF(AllocNotFreed, alloc_d && free_d && insert_d, alloc_node_d != free_node_d)
  // the pool takes one node back per clock
  `ASSERT_IF(GiveAlone, give, !reply_frees)
endtask

// ---------------------------------------------------------------- write ports of memories
// A memory is written once a clock: two tasks that set its *_we_d may not act together.
task automatic rules_writes();
  `ASSERT_IF(RowClearAlone, row_clear_d, !way_we_d && !set_we_d)
  `ASSERT_IF(CleanOtherWay, clean_we_d, way_we_d && over_way_q != way_at_d)
  // queues of slices: the calendar appends in Extract, the slices write back in Serve
  `ASSERT_IF(CalendarAlone, phase_q == Extract, slice_state_q == SliceIdle)
  // a message of this clock enters in the next one
  `ASSERT_IF(SendPhase, send, phase_q != Extract)
endtask
`endif
