/// The message in work: what its node says, what is to be done with it, and how long that
/// takes. Also the lines of FillL2, one after another, each as if it were a message.
///
/// With two partitions it finds out whether the slice is the line's home; of a line of FillL2,
/// which slice is, and whether that one is of this instance. Low, quotient and place are the
/// steps for that, with one product each.
/// Latency: one clock from pick_i to look_o, up to three more to home_o, global_o and mirror_o;
/// six from copy_i, or the end of the line before, to look_o. Without Pipelined none, and one.
/// Throughput: one message at a time, a word into a node each clock.
/// Rules: at most one of enter_i, write_i and remote_i in a clock, and one of enter_i, note_i
/// and mark_i. What is shown is right while the message's node is not given back. copy_i comes
/// while not copying_o and not work_i.
`include "heddle_macros.svh"
`include "cell/stage.svh"
`include "heddle_assert.svh"
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
module net_fetch #(
  parameter int NodeBits  = 16,
  parameter bit Pipelined = `HEDDLE_PIPELINED
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // parameters
  input  logic                two_i,          /// two partitions
  input  logic [6:0]          half_i,         /// slices of a partition
  input  logic [2:0]          twos_i,         /// the number of slices is odd_i << twos_i
  input  logic [7:0]          odd_i,
  input  logic [30:0]         slice_inv_i,    /// net_reciprocal.sv
  input  logic [7:0]          slice_wrap_i,
  input  logic                fold_i,         /// the slice's low bits are those of all fields
  input  logic [1:0]          field_bits_i,
  input  logic [1:0]          interleave_i,   /// lines together in a slice: 1, 2, 4 as 0, 1, 2
  input  logic [7:0]          instances_i,
  input  logic [7:0]          instance_i,     /// this one
  input  logic [16:0]         instance_inv_i,
  input  logic [15:0]         atomic_time_i,
  input  logic [1:0]          flit_shift_i,
  input  logic [15:0]         flit_time_i,

  // words of nodes: a request that enters, one that a slice or another instance sends
  input  logic                enter_i,
  input  logic [NodeBits-1:0] enter_node_i,
  input  logic [127:0]        enter_word_i,
  input  logic                write_i,
  input  logic [NodeBits-1:0] write_node_i,
  input  logic [127:0]        write_word_i,
  input  logic                remote_i,
  input  logic [NodeBits-1:0] remote_node_i,
  input  logic [127:0]        remote_word_i,
  // beside them: a message between the partitions, or a node without a request
  input  logic                note_i,
  input  logic [NodeBits-1:0] note_node_i,
  input  logic [6:0]          note_word_i,    /// {sectors of an answer, trip_e}
  input  logic                mark_i,
  input  logic [NodeBits-1:0] mark_node_i,
  input  logic [2:0]          mark_trip_i,
  // sectors that a request has asked memory for
  input  logic                ask_i,
  input  logic [NodeBits-1:0] ask_node_i,
  input  logic [3:0]          ask_sectors_i,
  input  logic [NodeBits-1:0] dram_node_i,
  output logic [3:0]          dram_asked_o,

  // the message in work, from net_queues
  input  logic                work_i,
  input  logic                pick_i,
  input  logic [6:0]          slice_i,
  input  logic [2:0]          op_i,
  input  logic [NodeBits-1:0] head_i,
  // FillL2
  input  logic                copy_i,         /// begins: lines from this one on, so many
  input  logic [31:0]         copy_line_i,
  input  logic [31:0]         copy_count_i,
  output logic                copying_o,
  // the message, or the line, has been dealt with
  input  logic                done_i,
  input  logic                copied_i,       /// the other partition had a copy: it goes next

  output logic                runs_o,         /// in this clock or the one before: else nothing that
                                              /// follows from it changes
  output logic                look_o,         /// its set is wanted; Pipelined for one clock
  output logic [2:0]          op_o,
  output logic [2:0]          act_o,          /// act_e
  output logic [6:0]          slice_o,        /// number of its slice here
  output logic [7:0]          global_o,       /// among all
  output logic [6:0]          mirror_o,       /// number here of the slice in the other partition
  output logic                home_o,         /// the slice is the line's home
  output logic [31:0]         line_o,
  output logic [127:0]        word_o,         /// the request; of a line of FillL2 nothing
  output logic [2:0]          trip_o,         /// trip_e
  output logic [3:0]          answer_o,       /// sectors of an answer that passes through
  output logic [3:0]          come_o,         /// sectors that come
  output logic [23:0]         busy_o          /// 1/256 cycles that the slice is taken
);
`include "heddle_import.svh"
  localparam int TimeW = 32;
`include "heddle_time.svh"
`include "net_types.svh"
`include "net_where.svh"
  typedef enum logic [1:0] { CopyNone, CopyLine, CopyDrop } copy_e;

  logic [RequestW-1:0] node_mem [NumNodes];   // the request of a node
  logic [NoteW-1:0]    note_mem [NumNodes];   // what is beside it
  logic [3:0]          asked_mem [NumNodes];  // of memory, for it
  copy_e               copy_q;
  logic [31:0]         copy_line_q, copy_left_q;
  logic                copy_new_q;            // the line is a new one, when Pipelined
  logic                drop_new_q;            // so is its copy
  logic                ran_q;                 // there was a message, or a line

  always_ff @(posedge clk_i) begin : messages
    if (enter_i || write_i || remote_i)
      `STORE(node_mem[write_i ? write_node_i : remote_i ? remote_node_i : enter_node_i],
             write_i ? write_word_i : remote_i ? remote_word_i : enter_word_i);
    if (enter_i || note_i || mark_i)
      `STORE(note_mem[note_i ? note_node_i : mark_i ? mark_node_i : enter_node_i],
             note_i ? note_word_i : {4'd0, mark_i ? mark_trip_i : TripNone});
    if (ask_i) `STORE(asked_mem[ask_node_i], ask_sectors_i);
  end

  assign dram_asked_o = asked_mem[dram_node_i];

  // ---------------------------------------------------------------- the message
  logic             fetches, fetched, places;
  logic [NoteW-1:0] note;
  logic [3:0]       asked;
  /* verilator lint_off UNUSEDSIGNAL */         // some fields are for the SM alone
  request_t         request;
  /* verilator lint_on UNUSEDSIGNAL */
  assign fetches = Pipelined ? pick_i : work_i;
  `STAGE_KEEP(word_o, node_mem[head_i], fetches)
  `STAGE_KEEP(note, note_mem[head_i], fetches)
  `STAGE_KEEP(asked, asked_mem[head_i], fetches)
  `STAGE_VALID(fetched, fetches)

  assign copying_o = copy_q != CopyNone;
  assign runs_o    = work_i || copying_o || ran_q;
  assign request   = word_o;
  assign trip_o    = note[2:0];
  assign answer_o  = note[6:3];
  always_ff @(posedge clk_i) ran_q <= work_i || copying_o;

  always_comb begin : message
    if (`WANTED(runs_o)) begin
      line_o = copying_o ? copy_line_q : request.addr;
      come_o = op_i == OpFill ? asked : request.sectors;
      op_o   = !copying_o ? op_i : copy_q == CopyDrop ? OpDrop : OpCopy;
    end
  end
  always_comb begin : act
    if (`WANTED(runs_o)) begin
      home_o = copying_o || op_i != OpRequest || !two_i || place == global_o;
      act_o  = ActServe;
      if (copying_o) begin
        if (copy_q == CopyDrop) act_o = ActDrop;
      end else begin
        case (op_i)
          OpRequest: if (!home_o && !request.cached) act_o = ActPass;
          OpFar:     act_o = ActServe;
          OpFill:    act_o = trip_o == TripWritten ? ActWritten : ActFill;
          default:   act_o = trip_o == TripFetched ? ActFill
                             : trip_o == TripPassed ? ActPassed : ActDrop;
        endcase
      end
    end
  end

  // an atomic takes a time for each turn, also in a slice that it passes
  logic [23:0] atomic_d, atomic, taken_d, taken, busy;
  always_comb begin : times
    if (`WANTED(work_i)) begin
      taken_d  = flits(request.sectors, flit_shift_i, flit_time_i);
      atomic_d = 24'(request.turns) * 24'(atomic_time_i);
    end
  end
  `STAGE(taken, taken_d)
  `STAGE(atomic, atomic_d)
  always_comb begin : takes
    if (`WANTED(work_i))
      busy = request.kind == ReqAtomic && atomic > taken ? atomic : taken;
  end
  `STAGE(busy_o, busy)

  // ---------------------------------------------------------------- where
  logic [22:0] low;
  logic [7:0]  quotient, place, global_slice;
  slice_t      mirror_slice, copy_slice;
  logic        copy_here;

  assign places = copying_o || (work_i && two_i);
  `STAGE_KEEP(low, low_part_of(line_high(group_of(line_o, interleave_i), twos_i), slice_wrap_i),
              places)
  `STAGE_KEEP(quotient, quotient_of(low, slice_inv_i), places)
  `STAGE_KEEP(place, 8'(remainder_of(low[7:0], quotient, odd_i) << twos_i)
                     | slice_low_of(group_of(line_o, interleave_i), fold_i, field_bits_i, twos_i),
              places)

  always_comb begin : global_number
    if (`WANTED(runs_o)) begin
      global_slice = 8'(slice_i);
      if (copying_o) global_slice = place;
      else if (instances_i != 8'd1) global_slice = 8'(slice_i) * instances_i + instance_i;
    end
  end
  `STAGE(global_o, global_slice)

  /// number here of a slice of this instance
  function automatic slice_t local_slice(input logic [7:0] slice);
    local_slice = SliceBits'(instances_i == 8'd1 ? slice : by_instances(slice, instance_inv_i));
  endfunction

  `STAGE_KEEP(mirror_slice, local_slice(mirror_of(global_o, half_i)), places)
  assign mirror_o = mirror_slice;

  // ---------------------------------------------------------------- FillL2
  logic copy_low, copy_quotient, copy_place, copy_local, copy_looks, copy_there, next_line;
  `STAGE_VALID(copy_low, Pipelined ? copy_new_q : copy_q == CopyLine)
  `STAGE_VALID(copy_quotient, copy_low)
  `STAGE_VALID(copy_place, copy_quotient)
  `STAGE_VALID(copy_local, copy_place)
  `STAGE_VALID(copy_there, copy_local)
  `STAGE_KEEP(copy_slice, local_slice(place), copying_o)
  `STAGE_KEEP(copy_here, instances_i == 8'd1
              || place - 8'(copy_slice) * instances_i == instance_i, copying_o)

  always_comb begin : shown
    if (`WANTED(runs_o)) begin
      copy_looks = (copy_there && copy_here) || (Pipelined ? drop_new_q : copy_q == CopyDrop);
      look_o     = copy_looks || fetched;
      slice_o    = copy_q == CopyDrop ? mirror_slice : copying_o ? copy_slice : slice_i;
    end
  end
  assign next_line = copy_q == CopyDrop ? done_i
                     : (done_i && !copied_i) || (copy_there && !copy_here);

  always_ff @(posedge clk_i) begin : copies
    if (copy_new_q || drop_new_q) begin
      copy_new_q <= 1'b0;
      drop_new_q <= 1'b0;
    end
    if (!rst_ni) begin
      copy_q <= CopyNone;
    end else if (copy_i) begin
      copy_line_q <= copy_line_i;
      copy_left_q <= copy_count_i;
      copy_new_q  <= copy_count_i != '0;
      if (copy_count_i != '0) copy_q <= CopyLine;
    end else if (copying_o) begin
      if (next_line) begin
        copy_line_q <= copy_line_q + 1'b1;
        copy_left_q <= copy_left_q - 1'b1;
        copy_new_q  <= copy_left_q != 32'd1;
        copy_q      <= copy_left_q == 32'd1 ? CopyNone : CopyLine;
      end else if (done_i) begin
        drop_new_q <= 1'b1;
        copy_q     <= CopyDrop;
      end
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT(CopyLegal, copy_q <= CopyDrop)
      `ASSERT_IF(CopyRests, copying_o || copy_i, !work_i)
      `ASSERT_IF(CopyOne, copy_i, !copying_o)
      `ASSERT_IF(CopyLeft, copying_o, copy_left_q != '0)
      // what another partition sends; a memory is written once a clock
      `ASSERT_IF(BackPartitions, work_i && (op_i == OpFar || op_i == OpBack), two_i)
      `ASSERT(NodeWriteAlone, $onehot0({enter_i, write_i, remote_i}))
      `ASSERT(NoteWriteAlone, $onehot0({enter_i, note_i, mark_i}))
      `ASSERT_IF(KindLegal, fetched && (op_i == OpRequest || op_i == OpFar),
                 request.kind inside {ReqRead, ReqWrite, ReqAtomic})
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
