// Rules of the memory stage: its states, the time of what it does, L1 and its MSHRs, barriers.
`ifdef HEDDLE_ASSERT
/// what a pass does at lsu_look_q, lsu_fill_q, lsu_ask_q
function automatic logic at_look();
  at_look = lsu_state_q inside {LsuTake, LsuStart, LsuConst, LsuWords, LsuLine, LsuTags, LsuAccess};
endfunction
function automatic logic at_fill();
  at_fill = lsu_state_q inside {LsuReply, LsuFill, LsuFilled, LsuWaiter, LsuWake, LsuCode,
                                LsuCodeWake};
endfunction
function automatic logic at_ask();
  at_ask = lsu_state_q inside {LsuAsk, LsuAskLines, LsuAskLine, LsuAskLook, LsuAskEnd};
endfunction

task automatic rules_lsu();
  logic pass;
  logic [QueueBits-1:0] waiting;
  pass = !(lsu_state_q inside {LsuIdle, LsuScrub, LsuScrubbed});
  `ASSERT(LsuLegal, lsu_state_q <= LsuEnd)
`ifdef HEDDLE_NBA
  `ASSERT(LsuFollows, lsu_follows(was_lsu_state, lsu_state_q))
`endif
  `ASSERT_IF(PassSlot, pass, slot_used[lsu_slot_q] && slot_pass[lsu_slot_q])
  `ASSERT_IF(PassSm, pass, slot_sms[lsu_slot_q*SmBits +: SmBits] == lsu_sm_q)
  `ASSERT_IF(PassEnd, pass, slot_ends[lsu_slot_q*TimeW +: TimeW] == lsu_end_q)
  // nothing at or after the end of the short window
  `ASSERT_IF(LookInPass, at_look(), due(lsu_look_q, lsu_end_q))
  `ASSERT_IF(FillInPass, at_fill(), due(lsu_fill_q, lsu_end_q))
  `ASSERT_IF(AskInPass, at_ask(), due(lsu_ask_q, lsu_end_q))
  // one operation after another, one ask a cycle
  `ASSERT_IF(TakeWhenFree, lsu_state_q inside {LsuTake, LsuStart},
             !earlier(lsu_look_q[TimeW-1:0], lsu_free_q))
  `ASSERT_IF(AskWhenFree, lsu_state_q == LsuAsk, !earlier(lsu_ask_q[TimeW-1:0], lsu_code_q))
  if (lsu_state_q == LsuPick)
    for (int s = 0; s < SubPerSm; s++) begin
      waiting = sent_mem[lsu_sm_q][s*QueueBits +: QueueBits]
                - lsu_taken_q[s*QueueBits +: QueueBits];
      `ASSERT(ArrivedBound, waiting <= QueueBits'(Credits))
    end
  // the ends of warps of an SM that have not been looked at
  `ASSERT_IF(ExitBound, pass, 7'(exit_wr_mem[lsu_sm_q] - lsu_q.exit_rd) <= 7'(WarpsPerSm))
  `ASSERT_IF(ExitThere, lsu_state_q == LsuExit, exit_wr_mem[lsu_sm_q] != lsu_q.exit_rd)
endtask

// A line of an operation on global memory.
task automatic rules_line();
  mshr_t mshr;
  ptr_t  words;
  if (lsu_state_q inside {LsuWords, LsuLine, LsuTags, LsuAccess}) begin
    words = line_wr_mem[{lsu_sm_q, lsu_q.sub, lsu_op_q.warp}][BufferBits:0] - lsu_line_rd_q;
    `ASSERT(LineActive, lsu_q.active && is_global(lsu_op_q.mem))
    `ASSERT(LineIndex, lsu_q.index < lsu_op_q.lines)
    `ASSERT_IF(LineCame, lsu_state_q inside {LsuTags, LsuAccess}, words != '0)
    // the host sends no more line words than there is room for
    `ASSERT_IF(LineRoom, lsu_state_q == LsuLine, words <= ptr_t'(1 << BufferBits))
  end
  if (lsu_state_q == LsuAccess) begin
    `ASSERT(LineInOneWay, $onehot0(ways_of(look_tags_q, lsu_line_q.addr[31:7])))
    for (int m = 0; m < NumMshr; m++) begin
      mshr = look_mshrs_q[m*MshrW +: MshrW];
      `ASSERT_IF(MshrWaits, mshr.valid, mshr.waiters != '0 && mshr.waiters <= 4'(MshrRoom))
      // an MSHR is free as soon as everything has come
      `ASSERT_IF(MshrOpen, mshr.valid, (mshr.wanted & ~mshr.come) != '0)
    end
  end
  `ASSERT_IF(StallActive, lsu_state_q != LsuIdle && lsu_q.stalled && lsu_q.active,
             lsu_q.index < lsu_op_q.lines)
  // requests that L1 does not keep
  `ASSERT_IF(OutstandingBound, lsu_state_q != LsuIdle, lsu_q.outstanding <= credits_q)
endtask

// A reply of the network.
task automatic rules_reply();
  mshr_t mshr;
  mshr = fill_mshrs_q[lsu_mshr_q[1:0]*MshrW +: MshrW];
  `ASSERT_IF(ReplyThere, lsu_state_q == LsuReply, reply_valid_i)
  `ASSERT_IF(ReplyAwaited, lsu_state_q == LsuReply && !reply_word_cached()
                           && reply_word_bar() != NoBar, lsu_q.outstanding != '0)
  `ASSERT_IF(FillMshr, lsu_state_q inside {LsuFill, LsuFilled}, mshr.valid)
  `ASSERT_IF(FillWanted, lsu_state_q == LsuFilled, (lsu_come_q & ~mshr.wanted) == '0)
  `ASSERT_IF(FillOneWay, lsu_state_q == LsuFilled,
             $onehot0(ways_of(fill_tags_q, 25'(line_of(mshr.tag, lsu_mshr_q[7:2]) >> 7))))
  `ASSERT_IF(WakeInRange, lsu_state_q inside {LsuWaiter, LsuWake},
             lsu_waiter_q < lsu_waiters_q && lsu_waiters_q <= 4'(MshrRoom))
endtask

/// of the reply on the port
function automatic logic reply_word_cached();
  reply_t word;
  word = reply_i;
  reply_word_cached = word.cached;
endfunction
function automatic bar_t reply_word_bar();
  reply_t word;
  word = reply_i;
  reply_word_bar = word.bar;
endfunction

// Lines of code, ends of warps, barriers.
task automatic rules_others();
  sm_code_t   code;
  cta_state_t cta;
  group_t     group;
  code  = code_set_q[lsu_mshr_q[3:0]*SmCodeW +: SmCodeW];
  cta   = cta_mem[{lsu_sm_q, lsu_cta_q}];
  group = group_mem[{lsu_sm_q, lsu_cta_q, lsu_bar_q}];
  // a line that comes was asked for, and keeps its way until it has come
  `ASSERT_IF(CodeFlight, lsu_state_q == LsuCode, lsu_q.flights != '0)
  `ASSERT_IF(CodeWay, lsu_state_q == LsuCode, code.used && code.come != '1)
  `ASSERT_IF(CodeSectors, lsu_state_q == LsuCode, (code.come & lsu_come_q) == '0)
  `ASSERT_IF(AskLeft, lsu_state_q == LsuAskLine, ask_left_q != '0)
  `ASSERT_IF(AskLine, lsu_state_q == LsuAskLook, ask_left_q[ask_line_q])
  // the warp that ends is one of its CTA's
  `ASSERT_IF(ExitAlive, lsu_state_q == LsuExited, cta.live != '0)
  // a barrier that nobody has come to is not in use
  `ASSERT_IF(BarrierUsed, lsu_state_q == LsuLook, cta.used[lsu_bar_q] && group.count != '0)
  `ASSERT_IF(BarrierAlive, lsu_state_q == LsuArrive, cta.live != '0)
  `ASSERT_IF(OpenSomeone, lsu_state_q == LsuOpen, lsu_open_q != '0)
  // one write a clock: of a line to one way, or of a set that is emptied; of a CTA's state by the
  // stage or by a Launch
  `ASSERT(TagWriteOne, $onehot0(tag_we_d) || tag_we_d == '1)
  `ASSERT_IF(CtaWriteOne, launch_cta_d, !cta_we_d)
endtask

`ifdef HEDDLE_NBA
/// a state of the memory stage, and the one in the clock after
function automatic logic lsu_follows(input lsu_state_e was, input lsu_state_e now);
  case (was)
    LsuIdle:      lsu_follows = now inside {LsuIdle, LsuNext, LsuScrub};
    LsuNext:      lsu_follows = now inside {LsuNext, LsuPick};
    LsuPick:      lsu_follows = now inside {LsuExit, LsuReply, LsuAsk, LsuEnd, LsuWords, LsuTake};
    LsuExit:      lsu_follows = now == LsuExited;
    LsuExited:    lsu_follows = now inside {LsuExited, LsuNext, LsuEnded};
    LsuReply:     lsu_follows = now inside {LsuCodeSet, LsuFill, LsuNext};
    LsuFill:      lsu_follows = now == LsuFilled;
    LsuFilled:    lsu_follows = now inside {LsuNext, LsuWake};
    LsuWaiter:    lsu_follows = now == LsuWake;
    LsuWake:      lsu_follows = now inside {LsuWake, LsuWaiter, LsuNext};
    LsuEnded:     lsu_follows = now == LsuLook;
    LsuLook:      lsu_follows = now inside {LsuLook, LsuNext, LsuEnded, LsuOpen};
    LsuArrive:    lsu_follows = now inside {LsuArrive, LsuNext, LsuOpen};
    LsuOpen:      lsu_follows = now inside {LsuOpen, LsuNext, LsuEnded};
    LsuTake:      lsu_follows = now == LsuStart;
    LsuStart:     lsu_follows = now inside {LsuConst, LsuWords, LsuArrive, LsuNext};
    LsuConst:     lsu_follows = now == LsuNext;
    LsuWords:     lsu_follows = now == LsuLine;
    LsuLine:      lsu_follows = now inside {LsuTags, LsuEnd};
    LsuTags:      lsu_follows = now == LsuAccess;
    LsuAccess:    lsu_follows = now inside {LsuAccess, LsuNext, LsuLine};
    LsuAsk:       lsu_follows = now == LsuAskLines;
    LsuAskLines:  lsu_follows = now == LsuAskLine;
    LsuAskLine:   lsu_follows = now == LsuCodeSet;
    LsuAskLook:   lsu_follows = now inside {LsuAskLook, LsuAskLine, LsuCodeWatch};
    LsuAskEnd:    lsu_follows = now inside {LsuAskEnd, LsuNext};
    LsuCode:      lsu_follows = now inside {LsuNext, LsuCodeWatch};
    LsuCodeWatch: lsu_follows = now inside {LsuAskEnd, LsuCodeWake};
    LsuCodeWake:  lsu_follows = now inside {LsuCodeWake, LsuNext, LsuCodeWatch};
    LsuCodeSet:   lsu_follows = now inside {LsuAskLook, LsuCode};
    LsuScrub:     lsu_follows = now == LsuScrubbed;
    LsuScrubbed:  lsu_follows = now == LsuIdle;
    default:      lsu_follows = now == LsuIdle;  // LsuEnd
  endcase
endfunction
`endif
`endif
