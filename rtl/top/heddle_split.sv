/// Hands the commands of the host to the groups that they name, when the kernel has several.
///
/// Packets, Launch and FlushL1 go to the group of their SM, with its number there; DramReply and
/// each word of Remote to that of the slice (or SM) they name; all others to every group. What the
/// host says of its instances differs for the groups, and is rewritten here: with N instances the
/// groups are instances i, i + N, i + 2N, ... of N * Groups, where i is this instance. After a
/// reset, too, since the engines begin as the only ones.
/// Latency: a clock. Throughput: a command each clock; of Remote a word; Set of Instances two.
/// Rules: a command is taken when sm_valid_i or net_valid_i, which come only with ready_o. It waits
/// here until all that it is for have taken it. N is a power of two, else a fault.
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // values inside one clock
module heddle_split #(
  parameter int Groups = 2              /// pairs of engines, 2 or 4
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  output logic         busy_o,          /// a command is here
  output logic [heddle_pkg::FaultW-1:0] fault_o,  /// stays

  // from heddle_run
  input  logic         sm_valid_i,      /// a command for SM engines
  input  logic         net_valid_i,     /// for network engines
  input  logic [511:0] command_i,
  output logic         ready_o,

  // to the engines
  output logic [Groups-1:0]    sm_valid_o,
  input  logic [Groups-1:0]    sm_ready_i,
  output logic [Groups-1:0]    net_valid_o,
  input  logic [Groups-1:0]    net_ready_i,
  output logic [511:128]       beat_o,  /// the payload,
  output logic [Groups*128-1:0] command_o,  /// and the command: each group has its own

  output logic [2:0]   host_shift_o,    /// log2 of the host's instances
  output logic [7:0]   instance_o       /// this one
);
`include "heddle_import.svh"
`include "top/groups.svh"
  logic [511:0]      beat_q;
  logic [Groups-1:0] sm_wait_q, net_wait_q;   // engines that have not taken it
  logic [1:0]        left_q;                  // further words of Remote
  logic              each_q;                  // the number of this instance
  logic              begin_q, instance_next_q;  // to be said next: instances; which one this is
  // values inside one clock
  logic [Groups-1:0] sm_left, net_left;
  logic              rests, one;
  logic [2:0]        shift;
  logic [511:0]      beat;
  command_t          command, own;
  /* verilator lint_off UNUSEDSIGNAL */
  remote_t           remote;
  /* verilator lint_on UNUSEDSIGNAL */

  assign sm_left     = sm_wait_q & ~sm_ready_i;
  assign net_left    = net_wait_q & ~net_ready_i;
  assign rests       = sm_left == '0 && net_left == '0;
  assign ready_o     = rests && left_q == '0 && !begin_q && !instance_next_q;
  assign busy_o      = sm_wait_q != '0 || net_wait_q != '0 || left_q != '0 || begin_q
                       || instance_next_q;
  assign sm_valid_o  = sm_wait_q;
  assign net_valid_o = net_wait_q;
  assign beat_o      = beat_q[511:128];

  always_comb begin : numbers
    for (int g = 0; g < Groups; g++) begin
      own = beat_q[CommandW-1:0];
      if (each_q) own.value = own.value | (32'(g) << host_shift_o);
      command_o[g*128 +: 128] = own;
    end
  end

  always_ff @(posedge clk_i) begin : commands
    if (!rst_ni) begin
      sm_wait_q       <= '0;
      net_wait_q      <= '0;
      left_q          <= '0;
      begin_q         <= 1'b1;
      instance_next_q <= 1'b0;
      host_shift_o    <= '0;
      instance_o      <= '0;
      fault_o         <= FaultNone;
    end else if (busy_o || sm_valid_i || net_valid_i) begin
      sm_wait_q  <= sm_left;
      net_wait_q <= net_left;
      if (rests) begin
        if (begin_q || instance_next_q) set_up();
        else if (left_q != '0) next_word();
        else if (sm_valid_i || net_valid_i) accept();
      end
    end
  end

  // What the engines must know of the groups, after a reset and after Set of Instances.
  task automatic set_up();
    command         = '0;
    command.kind    = CmdSet;
    command.id      = begin_q ? 16'(ParamInstances) : 16'(ParamInstance);
    command.value   = begin_q ? 32'(Groups) : 32'(instance_o);
    each_q          <= !begin_q;
    begin_q         <= 1'b0;
    instance_next_q <= begin_q;
    beat_q          <= {384'd0, command};
    sm_wait_q       <= '1;
    net_wait_q      <= '1;
  endtask

  // The next word of Remote, as a command of one word.
  task automatic next_word();
    beat_q[511:128] <= {128'd0, beat_q[511:256]};
    left_q          <= left_q - 1'b1;
    to_owner(beat_q[383:256]);
  endtask

  task automatic accept();
    beat    = command_i;
    command = beat[CommandW-1:0];
    each_q     <= 1'b0;
    sm_wait_q  <= {Groups{sm_valid_i}};
    net_wait_q <= {Groups{net_valid_i}};
    case (command.kind)
      CmdPackets,
      CmdLaunch,
      CmdFlushL1: begin
        sm_wait_q  <= Groups'(1) << group_of(command.sm, host_shift_o);
        command.sm = (command.sm >> host_shift_o) >> GroupBits;
      end
      CmdDramReply: net_wait_q <= Groups'(1) << group_of(command.sm, host_shift_o);
      CmdRemote: begin
        left_q        <= command.words - 1'b1;
        command.words = 2'd1;
        to_owner(beat[255:128]);
      end
      CmdSet: begin
        if (32'(command.id) == ParamInstances) begin
          one   = 1'b0;
          shift = '0;
          for (int i = 0; i < 7; i++)
            if (command.value == 32'd1 << i) begin
              one   = 1'b1;
              shift = 3'(i);
            end
          if (!one) fault_o <= FaultParameter;
          host_shift_o    <= shift;
          command.value   = command.value << GroupBits;
          instance_next_q <= 1'b1;
        end else if (32'(command.id) == ParamInstance) begin
          instance_o <= command.value[7:0];
          each_q     <= 1'b1;
        end
      end
      default: ;
    endcase
    beat_q <= {beat[511:128], command};
  endtask

  // A word of Remote goes to the network engine of its slice, or its SM.
  task automatic to_owner(input logic [127:0] word);
    remote     = word;
    net_wait_q <= Groups'(1) << group_of(remote.kind == EvRequest ? remote.slice : remote.sm,
                                         host_shift_o);
  endtask
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned  rules_clock;
  logic         was_waiting;                  // an engine had not taken the command
  logic [511:0] was_beat;
  /* verilator lint_off UNUSEDSIGNAL */
  command_t     kept;
  /* verilator lint_on UNUSEDSIGNAL */
  assign kept = beat_q[CommandW-1:0];

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT_IF(SplitReady, sm_valid_i || net_valid_i, ready_o)
      `ASSERT_IF(SplitStable, was_waiting, beat_q == was_beat)
      `ASSERT_IF(SplitOne, busy_o && kept.kind inside {CmdPackets, CmdLaunch, CmdFlushL1},
                 $onehot0(sm_wait_q) && net_wait_q == '0)
      `ASSERT_IF(SplitOwner, busy_o && (kept.kind == CmdDramReply || kept.kind == CmdRemote),
                 $onehot0(net_wait_q) && sm_wait_q == '0)
      `ASSERT_IF(SplitWord, net_wait_q != '0 && kept.kind == CmdRemote, kept.words == 2'd1)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
    was_waiting = rst_ni && !rests;
    was_beat    = beat_q;
  end
`endif
endmodule
