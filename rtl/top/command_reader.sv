/// Reads beats of the command ring over AXI4, in bursts that stay inside 4 KiB and the ring.
///
/// Two beats are held here.
/// Latency: three clocks plus memory. Throughput: one beat per clock.
/// Rules: a beat stays until ready_i, a read address until arready_i. Nothing from tail_i on is
/// read, and tail_i only moves forward. While bursts are under way ring_i and size_i do not change.
/// enable_i low begins no burst; the beats of those under way still come.
/// A beat that memory gives with an error, or whose check is wrong, is a fault: from it on, no beat
/// is given to the consumer, until reset.
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // values inside one clock
module command_reader (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [63:0] ring_i,     /// address of the ring, aligned to 4 KiB
  input  logic [31:0] size_i,     /// beats, a power of two
  input  logic [31:0] tail_i,     /// beats that the host has written
  input  logic        enable_i,   /// new bursts may begin
  output logic [31:0] taken_o,    /// beats given to the consumer
  output logic        done_o,     /// all beats up to the tail are taken; a clock late
  output logic        quiet_o,    /// memory owes no beat
  output logic [3:0]  fault_o,    /// enum fault: None, Bus or Ring; stays

  // beats, to the consumer
  output logic         valid_o,
  output logic [511:0] beat_o,
  input  logic         ready_i,

  // AXI4 read channels
  output logic [63:0]  araddr_o,
  output logic [7:0]   arlen_o,
  output logic         arvalid_o,
  input  logic         arready_i,
  input  logic [511:0] rdata_i,
  input  logic         rerror_i,  /// with rvalid_i: memory has an error instead of the beat
  input  logic         rvalid_i,
  output logic         rready_o
);
  localparam int unsigned PageBeats = 64;    // beats in 4 KiB
  localparam int unsigned MaxBeats  = 128;   // requested, not yet taken
  `include "cell/check.svh"

  logic [31:0]  asked_q, come_q, taken_q;    // beats since reset, modulo 2^32
  logic [511:0] first_q, second_q;           // beats that have come; no output depends on an input
  logic [1:0]   count_q;
  // inside one clock
  logic         takes, few, comes, wrong;
  logic [31:0]  last, left;                  // of the ring; beats that are not asked for
  logic [5:0]   behind;                      // beats after the first, to the end of ring or page

  assign valid_o  = count_q != 2'd0;
  assign beat_o   = first_q;
  assign rready_o = !count_q[1];
  assign taken_o  = taken_q;
  assign quiet_o  = asked_q == come_q;

  always_ff @(posedge clk_i) begin : take
    comes = rvalid_i && rready_o;
    wrong = 1'b0;
    if (comes) wrong = folded(rdata_i) != folded_number(come_q);
    // what comes after a fault is dropped
    if (rerror_i || wrong || fault_o != heddle_pkg::FaultNone) comes = 1'b0;
    if (ready_i && valid_o) begin
      if (count_q[1]) first_q <= second_q;
      else if (rvalid_i) first_q <= rdata_i;
    end else if (!valid_o && rvalid_i) begin
      first_q <= rdata_i;
    end
    if (comes && valid_o && !ready_i) second_q <= rdata_i;
    if (!rst_ni) begin
      come_q  <= '0;
      taken_q <= '0;
      count_q <= '0;
      done_o  <= 1'b0;
      fault_o <= heddle_pkg::FaultNone;
    end else begin
      if (rvalid_i && rready_o && fault_o == heddle_pkg::FaultNone) begin
        if (rerror_i) fault_o <= heddle_pkg::FaultBus;
        else if (wrong) fault_o <= heddle_pkg::FaultRing;
      end
      if (comes) come_q <= come_q + 1;
      count_q <= count_q + {1'b0, comes} - {1'b0, ready_i && valid_o};
      takes = ready_i && valid_o;
      if (takes) taken_q <= taken_q + 1;
      done_o <= takes ? taken_q + 1 == tail_i : taken_q == tail_i;
    end
  end

  always_ff @(posedge clk_i) begin : ask
    if (!rst_ni) begin
      asked_q   <= '0;
      arvalid_o <= 1'b0;
      araddr_o  <= '0;
      arlen_o   <= '0;
    end else begin
      if (arready_i) arvalid_o <= 1'b0;
      if (enable_i && asked_q != tail_i && (!arvalid_o || arready_i)
          && asked_q - taken_q < 32'(MaxBeats - PageBeats + 1)) begin
        // the ring's size is a power of two, and so is a page
        last   = size_i - 1;
        behind = ~asked_q[5:0] & last[5:0];
        left   = tail_i - asked_q;
        few    = left <= 32'(behind);
        arvalid_o <= 1'b1;
        araddr_o  <= ring_i + {26'd0, asked_q & last, 6'd0};
        arlen_o   <= few ? left[7:0] - 8'd1 : {2'd0, behind};
        asked_q   <= few ? tail_i : (asked_q | {26'd0, behind}) + 1;
      end
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned  rules_clock;
  logic         was_address, was_beat;      // an address, a beat was not taken
  logic [71:0]  was_burst;
  logic [511:0] was_beat_word;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT_IF(ReadHeld, was_address, arvalid_o)
      `ASSERT_IF(ReadStable, was_address, {araddr_o, arlen_o} == was_burst)
      // AXI forbids bursts across 4 KiB
      `ASSERT_IF(ReadInPage, arvalid_o, {2'd0, araddr_o[11:6]} + arlen_o < 8'(PageBeats))
      `ASSERT_IF(ReadAligned, arvalid_o, araddr_o[5:0] == '0)
      `ASSERT_IF(ReadInRing, arvalid_o, ((araddr_o - ring_i) >> 6) + 64'(arlen_o) < 64'(size_i))
      `ASSERT(AskedBound, asked_q - taken_q <= 32'(MaxBeats))
      // never what the host has not written
      `ASSERT_IF(AskedToTail, arvalid_o, tail_i - taken_q >= asked_q - taken_q)
      `ASSERT(HeldBound, count_q <= 2'd2)
      `ASSERT(ComeCount, come_q - taken_q == 32'(count_q))
      `ASSERT_IF(BeatHeld, was_beat, valid_o)
      `ASSERT_IF(BeatStable, was_beat, beat_o == was_beat_word)
      // kept by memory: it answers what it was asked
      `ASSERT_IF(BeatAsked, rvalid_i && fault_o == heddle_pkg::FaultNone,
                 asked_q - taken_q > 32'(count_q))
      `ASSERT_IF(CommandSizePower, arvalid_o, $onehot(size_i))
    end
    rules_clock   = rst_ni ? rules_clock + 1 : 0;
    was_address   = rst_ni && arvalid_o && !arready_i;
    was_burst     = {araddr_o, arlen_o};
    was_beat      = rst_ni && valid_o && !ready_i;
    was_beat_word = beat_o;
  end
`endif
endmodule
