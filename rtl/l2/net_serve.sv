/// What a slice does with the message in work, in the set that was found.
///
/// A request is served at its time: its sectors are here, on their way, or asked for; it is
/// answered, or waits. One for which too much is under way is stuck until something comes back.
/// With two partitions it passes on, or fetches sectors, from its line's home (docs/timing-model.md
/// rule 9); at home a line that is written loses its copy (Tell). When sectors come, all requests
/// that wait in the set are looked at (Walk, net_waiters.sv).
/// Nothing is done before the events of the request before are out, so that their order does not
/// depend on host clocks.
/// Latency: Pipelined one clock from found_i, then what the neighbours need; else none. Throughput:
/// one message at a time.
/// Rules: what describes the message is stable from found_i to done_o, or to the clock in which
/// commit_o is high.
`include "heddle_macros.svh"
`include "cell/stage.svh"
`include "heddle_assert.svh"
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
/* verilator lint_off BLKSEQ */  // the clock of the rules
module net_serve #(
  parameter int NodeBits  = 16,
  parameter bit Pipelined = `HEDDLE_PIPELINED
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic [heddle_pkg::FaultW-1:0] fault_o,

  // parameters
  input  logic [9:0]          entries_max_i,  /// of memory, that a slice may take
  input  logic [31:0]         latency_i,      /// of an answer from L2,
  input  logic [31:0]         miss_i,         /// to memory or the other partition,
  input  logic [31:0]         fill_i,         /// of an answer behind what has come

  // the message
  input  logic                runs_i,         /// net_fetch.sv
  /* verilator lint_off UNUSEDSIGNAL */       // for rules
  input  logic                work_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [2:0]          op_i,           /// slice_op_e
  input  logic [2:0]          act_i,          /// act_e
  input  logic [NodeBits-1:0] head_i,
  input  logic [31:0]         service_i,
  input  logic [9:0]          entries_i,      /// that the slice has taken
  input  logic [7:0]          global_i,
  input  logic                home_i,
  input  logic [31:0]         line_i,
  input  logic [127:0]        word_i,
  input  logic [2:0]          trip_i,         /// trip_e
  input  logic [3:0]          answer_i,       /// sectors of an answer that passes through
  input  logic [23:0]         busy_i,
  // its set
  input  logic                found_i,
  input  logic                hit_i,
  input  logic                no_way_i,
  input  logic [3:0]          present_i,
  input  logic [3:0]          missing_i,
  input  logic [3:0]          merged_i,
  input  logic [3:0]          asked_i,
  input  logic                leaves_i,
  input  logic [3:0]          out_dirty_i,
  input  logic                copied_i,
  input  logic                too_many_i,
  input  logic                waits_i,
  input  logic [1:0]          pin_i,          /// enum pin
  input  logic                some_i,         /// somebody waits in the set

  // neighbours that may make it wait
  input  logic                events_ready_i,
  input  logic                port_ready_i,
  input  logic                spare_ok_i,     /// this node may be taken
  input  logic [NodeBits-1:0] spare_node_i,
  input  logic                reply_pop_i,    /// a node is given back in the next clock
  input  logic                last_i,         /// the last one that waits has been looked at

  // what becomes of the message
  output logic                commit_o,       /// the set is written
  output logic                add_waiter_o,
  output logic [3:0]          wait_answer_o,  /// sectors of that one's answer
  output logic                walk_o,         /// sectors have come
  output logic                take_o,         /// as in net_queues.sv
  output logic                pop_o,
  output logic                again_o,
  output logic                stuck_o,
  output logic [1:0]          add_o,
  output logic                done_o,
  output logic                copied_o,       /// with it: of a line of FillL2 there was a copy

  // to net_port
  output logic                send_o,
  output logic [1:0]          send_kind_o,
  output logic [NodeBits-1:0] send_node_o,
  output logic [31:0]         send_at_o,
  output logic [3:0]          send_sectors_o,
  output logic [2:0]          send_trip_o,
  output logic [2:0]          send_bar_o,
  output logic [31:0]         wake_at_o,      /// when those that waited are answered

  // to net_events: of the service or its pin, of what it asks memory for, of what leaves
  output logic                perform_o,
  output logic                read_o,
  output logic                write_o,
  output logic [31:0]         miss_at_o,

  // in the clock after
  output logic                write_node_o,   /// a request into a node
  output logic [NodeBits-1:0] write_at_o,
  output logic [127:0]        write_word_o,
  output logic                ask_o,          /// what the request has asked memory for
  output logic [NodeBits-1:0] ask_node_o,
  output logic [3:0]          ask_sectors_o,
  output logic                spare_take_o,
  output logic                free_o,
  output logic [NodeBits-1:0] free_node_o,
  // to net_counters
  output logic [15:0]         counts_o,       /// sectors {accessed, hit, read, written}
  output logic                served_o,
  output logic [31:0]         served_at_o,
  output logic [31:0]         served_line_o,
  output logic [22:0]         outcome_o
);
`include "heddle_import.svh"
  localparam int TimeW = 32;
`include "heddle_time.svh"
`include "net_types.svh"
  typedef enum logic [1:0] { ServeAct, ServeTell, ServeWalk } serve_e;
  serve_e      state_q, state_d;
  logic [31:0] tell_line_q;                   // whose copy goes

  /* verilator lint_off UNUSEDSIGNAL */       // some fields are for others
  request_t request;
  /* verilator lint_on UNUSEDSIGNAL */
  logic     copies, serves;
  assign request = word_i;
  always_comb begin : kinds
    if (`WANTED(runs_i)) begin
      copies = op_i == OpCopy;
      serves = act_i == ActServe;
    end
  end

  // ---------------------------------------------------------------- weigh
  // a request's answer, and whether too much is under way for it
  logic        valid, asks, crosses, in_parts, split_d, split, stuck_d, stuck, answers_d, answers;
  logic [1:0]  add_d;
  logic [3:0]  sectors_d, sectors, wait_answer_d;
  logic [31:0] answer_at_d, answer_at, miss_at_d, fill_at_d;
  logic [23:0] cycles;

  always_comb begin : weigh
    if (`WANTED(found_i)) begin
      asks      = home_i && asked_i != '0;
      crosses   = !home_i && asked_i != '0;
      // what is present is sent before the rest: reads of SMs that are at their line's home
      in_parts  = op_i == OpRequest && home_i;
      split_d   = request.kind == ReqRead && present_i != '0 && missing_i != '0 && in_parts;
      answers_d = request.kind == ReqWrite || missing_i == '0 || split_d;
      add_d     = 2'(leaves_i) + 2'(asks);
      stuck_d   = no_way_i;
      if (!copies && ((add_d != '0 && 11'(entries_i) + 11'(add_d) > 11'(entries_max_i))
                      || too_many_i))
        stuck_d = 1'b1;
      sectors_d     = '0;
      wait_answer_d = in_parts ? missing_i : request.sectors;
      cycles        = (busy_i + 24'd255) >> 8;
      answer_at_d   = service_i + latency_i + (TimeW'(cycles) - 1'b1);
      miss_at_d     = service_i + miss_i;
      fill_at_d     = service_i + fill_i;
      case (request.kind)
        ReqRead:  sectors_d   = present_i;
        ReqWrite: answer_at_d = service_i + latency_i;
        default: begin
          if (request.bar != BarStores) sectors_d = request.sectors;
          wait_answer_d = sectors_d;
        end
      endcase
    end
  end
  logic       reads, goes_on;
  logic [1:0] add;
  `STAGE(split, split_d)
  `STAGE(stuck, stuck_d)
  `STAGE(answers, answers_d)
  `STAGE(add, add_d)
  `STAGE(reads, asks)
  `STAGE(goes_on, crosses)
  `STAGE(sectors, sectors_d)
  `STAGE(wait_answer_o, wait_answer_d)
  `STAGE(answer_at, answer_at_d)
  `STAGE(miss_at_o, miss_at_d)
  `STAGE(wake_at_o, fill_at_d)
  `STAGE_VALID(valid, found_i && !(Pipelined && done_o))

  // ---------------------------------------------------------------- act
  logic takes_spare, frees, finished;

  always_comb begin : act
    logic ready;
    if (`WANTED(runs_i)) begin
      ready          = 1'b0;
      state_d        = state_q;
      commit_o       = 1'b0;
      walk_o         = 1'b0;
      take_o         = 1'b0;
      pop_o          = 1'b0;
      again_o        = 1'b0;
      stuck_o        = 1'b0;
      add_o          = 2'd0;
      send_o         = 1'b0;
      takes_spare    = 1'b0;
      frees          = 1'b0;
      finished       = 1'b0;
      send_kind_o    = SendAnswer;
      send_node_o    = head_i;
      send_at_o      = miss_at_o;
      send_sectors_o = 4'd0;
      send_trip_o    = trip_i;
      send_bar_o     = request.bar;
      if (state_q == ServeAct && valid) begin
        case (act_i)
          ActServe: begin
            ready = events_ready_i && port_ready_i && spare_ok_i;
            if (stuck) begin                    // a line of FillL2 is left out
              stuck_o  = ready && !copies;
              finished = ready;
            end else if (ready) begin
              commit_o = 1'b1;
              finished = 1'b1;
              if (!copies) begin
                take_o = 1'b1;
                pop_o  = 1'b1;
                add_o  = add;
                send_o = answers || goes_on;
                if (answers) begin
                  send_node_o    = split ? spare_node_i : head_i;
                  send_at_o      = answer_at;
                  send_sectors_o = sectors;
                  if (split && !request.cached) send_bar_o = BarNone;
                end else begin
                  send_kind_o = SendFetch;
                  send_node_o = spare_node_i;
                end
                takes_spare = split || goes_on;
                // the copy that the other partition may hold is no longer right
                if (copied_i && request.kind != ReqRead) begin
                  finished = 1'b0;
                  state_d  = ServeTell;
                end
              end
            end
          end
          ActPass: begin
            ready       = port_ready_i;
            send_kind_o = SendPass;
            if (request.kind == ReqWrite) send_sectors_o = request.sectors;
            send_o      = ready;
            take_o      = ready;
            pop_o       = ready;
            finished    = ready;
          end
          ActPassed: begin
            ready          = port_ready_i;
            send_trip_o    = TripNone;
            send_at_o      = wake_at_o;
            send_sectors_o = answer_i;
            send_o         = ready;
            pop_o          = ready;
            again_o        = ready;
            finished       = ready;
          end
          ActFill: begin
            ready    = port_ready_i && (op_i == OpFill || !reply_pop_i);
            commit_o = ready;
            walk_o   = ready;
            pop_o    = ready;
            again_o  = ready;
            frees    = ready && op_i != OpFill;
            if (ready) state_d = ServeWalk;
          end
          default: begin                        // ActDrop, ActWritten
            ready    = op_i == OpDrop || !reply_pop_i;
            commit_o = ready && act_i == ActDrop;
            finished = ready;
            if (op_i != OpDrop) begin
              frees   = ready;
              pop_o   = ready;
              again_o = ready;
            end
          end
        endcase
      end else if (state_q == ServeTell) begin
        ready       = port_ready_i && spare_ok_i;
        send_kind_o = SendDrop;
        send_node_o = spare_node_i;
        send_o      = ready;
        takes_spare = ready;
        finished    = ready;
        if (ready) state_d = ServeAct;
      end
      perform_o    = commit_o && serves && !copies && (request.perform || pin_i != PinNone);
      read_o       = commit_o && serves && !copies && reads;
      write_o      = commit_o && serves && leaves_i;
      add_waiter_o = commit_o && serves && waits_i;
      copied_o     = copied_i && commit_o;
    end
  end
  always_comb begin : done
    if (`WANTED(runs_i)) done_o = finished || last_i;
  end

  // ---------------------------------------------------------------- in the clock after
  request_t sent;
  always_ff @(posedge clk_i) begin : registers
    if (!rst_ni) begin
      state_q      <= ServeAct;
      write_node_o <= 1'b0;
      ask_o        <= 1'b0;
      spare_take_o <= 1'b0;
      free_o       <= 1'b0;
      counts_o     <= '0;
      served_o     <= 1'b0;
      fault_o      <= FaultNone;
    end else if (Pipelined || runs_i) begin
      state_q      <= last_i ? ServeAct : state_d;
      write_node_o <= takes_spare && send_kind_o != SendAnswer;
      ask_o        <= read_o || (walk_o && op_i == OpFill);
      spare_take_o <= takes_spare;
      free_o       <= frees;
      counts_o     <= '0;
      served_o     <= take_o;
      if (commit_o || send_o || frees) begin
        if (commit_o && serves) begin
          if (!copies) begin
            counts_o[15:4] <= {trip_i != TripFetch ? request.sectors : 4'd0,
                               request.kind == ReqWrite ? request.sectors : present_i | merged_i,
                               reads ? asked_i : 4'd0};
            if (present_i == '0 && missing_i == '0) fault_o <= FaultRequest;
          end
          if (leaves_i) counts_o[3:0] <= out_dirty_i;
        end
        if (walk_o && (!hit_i || !some_i)) fault_o <= FaultDramId;
        free_node_o   <= head_i;
        ask_node_o    <= head_i;
        ask_sectors_o <= walk_o ? 4'd0 : asked_i;
        tell_line_q   <= line_i;
        served_at_o   <= service_i;
        served_line_o <= line_i;
        outcome_o     <= {global_i, request.kind, serves ? {present_i, asked_i, merged_i} : 12'd0,
                          1'b1};
        write_at_o    <= spare_node_i;
        sent          = request;
        sent.perform  = 1'b0;
        if (state_q == ServeTell) sent.addr = tell_line_q;
        else sent.sectors = asked_i;
        if (takes_spare) write_word_o <= sent;
      end
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT(ServeLegal, state_q <= ServeWalk)
      // what is kept while nothing is in work means that nothing happens
      `ASSERT_IF(QuietKept, !runs_i, {commit_o, send_o, walk_o, pop_o, take_o, again_o, stuck_o,
                                      takes_spare, frees, done_o} == '0)
      `ASSERT_IF(TellRequest, state_q == ServeTell, op_i inside {OpRequest, OpFar})
      `ASSERT_IF(WalkComes, state_q == ServeWalk, op_i inside {OpFill, OpBack})
      `ASSERT_IF(LastWalks, last_i, walk_o || state_q == ServeWalk)
      `ASSERT_IF(ActInWork, valid && state_q == ServeAct && !copies && op_i != OpDrop, work_i)
      // memory's entries: counted when an event leaves, given back when its answer is in work
      `ASSERT_IF(EntriesBound, work_i && !(take_o || pop_o), entries_i <= entries_max_i)
      `ASSERT_IF(EntriesHeld, work_i && op_i == OpFill && state_q == ServeAct, entries_i != '0)
      `ASSERT_IF(SectorsWanted, valid && serves && work_i && fault_o == FaultNone,
                 request.sectors != '0)
      `ASSERT_IF(FillHits, valid && act_i == ActFill && state_q == ServeAct && fault_o == FaultNone,
                 hit_i)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
