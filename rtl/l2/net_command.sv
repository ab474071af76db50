/// Command port.
///
/// Commands come only while the engine rests. They pass the steps accept, where (the number here of
/// the slice that is named) and act; Remote the last two for each payload word. What a command asks
/// of the other modules is a register that is high for one clock. Parameters: net_parameters.sv.
/// Latency: three clocks, one without Pipelined. Throughput: a command in three clocks, or in one;
/// a further word of Remote in two, or one. What a command has begun is waited for.
/// Rules: cmd_i is taken when cmd_valid_i and cmd_ready_o, and does not change until then.
`include "heddle_macros.svh"
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // registers that nobody else reads are assigned with =
module net_command #(
  parameter int NodeBits  = 16,
  parameter bit Pipelined = `HEDDLE_PIPELINED
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic                busy_o,

  input  logic                cmd_valid_i,
  input  logic [511:0]        cmd_i,
  output logic                cmd_ready_o,

  input  logic                rests_i,         /// commands may come
  input  logic                setting_i,       /// parameters change
  input  logic [7:0]          instances_i,
  input  logic [16:0]         instance_inv_i,  /// net_reciprocal.sv
  input  logic [31:0]         net_request_i,   /// time of a request to its slice
  input  logic                clear_i,         /// sets must be emptied before use
  input  logic                spare_ok_i,      /// this node may be taken
  input  logic [NodeBits-1:0] spare_node_i,
  input  logic                empty_i,         /// there is no node: a fault

  // what is asked of others
  output logic                spare_take_o,
  output logic                set_o,           /// a parameter gets a value, net_parameters.sv
  output logic [15:0]         set_id_o,
  output logic [31:0]         set_value_o,
  output logic                flush_o,
  output logic                unpin_o,         /// with flush_o: only pins go
  output logic                copy_o,          /// FillL2
  output logic [31:0]         copy_line_o,
  output logic [31:0]         copy_count_o,
  output logic                dram_o,          /// memory replies
  output logic                dram_written_o,
  output logic [31:0]         dram_at_o,
  output logic                remote_o,        /// a message of another instance
  output logic                remote_reply_o,  /// is a reply
  output logic [127:0]        remote_word_o,   /// request
  output logic [63:0]         remote_answer_o, /// or reply
  output logic [8:0]          remote_source_o,
  output logic [31:0]         remote_time_o,
  output logic [7:0]          remote_dest_o,
  output logic [6:0]          slice_o,         /// of dram_o
  output logic [NodeBits-1:0] node_o           /// of dram_o, remote_o
);
`include "heddle_import.svh"
`include "net_lists.svh"
`include "net_where.svh"
`include "net_remote.svh"
  logic         beat_valid_q, busy_q;          // a command is here; for others
  /* verilator lint_off UNUSEDSIGNAL */
  logic [511:0] beat_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [1:0]   word_q;                        // payload word of Remote
  logic         where_valid_q;                 // of the command, or that word: number here of ...
  logic [6:0]   where_q;                       // ... its slice
  // values inside one clock
  logic         rests, quiet, acts, takes, flushes, copies, where_was, beat_was;
  logic [7:0]   named;
  /* verilator lint_off UNUSEDSIGNAL */
  command_t     command;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0]  value;

  assign busy_o = busy_q || spare_take_o || set_o || flush_o || copy_o || dram_o || remote_o;

  always_ff @(posedge clk_i) begin : commands
    `RULES(rules)
    if (!rst_ni) begin
      spare_take_o  <= 1'b0;
      set_o         <= 1'b0;
      flush_o       <= 1'b0;
      copy_o        <= 1'b0;
      dram_o        <= 1'b0;
      remote_o      <= 1'b0;
      beat_valid_q  = 1'b0;
      where_valid_q = 1'b0;
      busy_q        <= 1'b0;
      cmd_ready_o   <= 1'b0;
    end else if (busy_o || cmd_valid_i || !cmd_ready_o) begin
      rests        = rests_i;
      spare_take_o <= 1'b0;
      set_o        <= 1'b0;
      flush_o      <= 1'b0;
      copy_o       <= 1'b0;
      dram_o       <= 1'b0;
      remote_o     <= 1'b0;
      takes        = 1'b0;
      flushes      = 1'b0;
      copies       = 1'b0;
      if (busy_q || cmd_valid_i) steps();
      cmd_ready_o <= !beat_valid_q && rests && !flushes && !copies && !flush_o && !copy_o;
      busy_q      <= beat_valid_q;
    end
  end

  // Pipelined each step takes a clock, and what it leaves is a register to the next one.
  task automatic steps();
    beat_was  = beat_valid_q;
    where_was = where_valid_q;
    quiet     = rests && !setting_i && !set_o && !flush_o && !copy_o;
    if (!Pipelined) accept();
    if (!Pipelined && beat_valid_q && !where_valid_q && quiet) find_where();
    acts = (Pipelined ? beat_was && where_was : beat_valid_q && where_valid_q) && quiet
           && (spare_ok_i || empty_i);
    if (acts) act();
    if (Pipelined && beat_was && !where_was && quiet) find_where();
    if (Pipelined) accept();
  endtask

  task automatic accept();
    if (cmd_valid_i && cmd_ready_o) begin
      beat_q       = cmd_i;
      beat_valid_q = 1'b1;
      word_q       = 2'd1;
    end
  endtask

  // The number here of the slice that the command, or a word of Remote, names.
  task automatic find_where();
    command = beat_q[CommandW-1:0];
    remote  = beat_q[word_q*128 +: 128];
    named   = command.kind == CmdRemote ? remote.slice : command.sm;
    where_q = instances_i == 8'd1 ? named[6:0] : 7'(by_instances(named, instance_inv_i));
    where_valid_q = 1'b1;
  endtask

  task automatic act();
    command       = beat_q[CommandW-1:0];
    value         = command.value;
    beat_valid_q  = 1'b0;
    where_valid_q = 1'b0;
    slice_o       <= where_q;
    case (command.kind)
      CmdSet: begin
        set_o       <= 1'b1;
        set_id_o    <= command.id;
        set_value_o <= value;
      end
      CmdDramReply: begin                      // that a write is taken gets a node of its own
        takes          = value[0];
        dram_o         <= 1'b1;
        dram_written_o <= value[0];
        dram_at_o      <= command.at;
        node_o         <= value[0] ? spare_node_i : command.id[NodeBits-1:0];
      end
      CmdFlushL2,
      CmdUnpinL2: flushes = 1'b1;
      CmdFillL2: begin
        if (clear_i) begin                     // once more, then
          flushes      = 1'b1;
          beat_valid_q = 1'b1;
        end else begin
          copies       = 1'b1;
          copy_line_o  <= command.at;
          copy_count_o <= value;
        end
      end
      CmdRemote: begin
        from_remote();
        beat_valid_q = word_q != command.words;
        word_q       = word_q + 1'b1;
      end
      default: ;
    endcase
    spare_take_o <= takes;
    flush_o      <= flushes;
    unpin_o      <= command.kind == CmdUnpinL2;
    copy_o       <= copies;
  endtask

  // A request or a reply of another instance enters the calendar.
  task automatic from_remote();
    open_remote(beat_q[word_q*128 +: 128]);
    takes           = 1'b1;
    remote_o        <= 1'b1;
    node_o          <= spare_node_i;
    remote_reply_o  <= is_reply;
    remote_word_o   <= request;
    remote_answer_o <= reply;
    remote_source_o <= remote_source;
    remote_time_o   <= enters_at;
    remote_dest_o   <= is_reply ? remote.sm : 8'(where_q);
  endtask
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;
  /* verilator lint_off UNUSEDSIGNAL */
  command_t    kept;
  /* verilator lint_on UNUSEDSIGNAL */
  assign kept = beat_q[CommandW-1:0];

  task automatic rules();
    if (rst_ni) begin
      // a beat that is accepted would overwrite the one that waits
      `ASSERT_IF(CommandOne, cmd_ready_o, !beat_valid_q)
      `ASSERT_IF(CommandBusy, beat_valid_q, busy_q)
      `ASSERT_IF(WhereOfBeat, where_valid_q, beat_valid_q)
      `ASSERT_IF(WhereInRange, dram_o || (remote_o && !remote_reply_o),
                 (dram_o ? 32'(slice_o) : 32'(remote_dest_o)) < 32'd96)
      `ASSERT_IF(WordInBeat, beat_valid_q && kept.kind == CmdRemote,
                 word_q != '0 && word_q <= kept.words)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  endtask
`endif
endmodule
