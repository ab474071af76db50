/// Counters of the network engine: sectors, the hash of every service, customers that are no SMs,
/// pins.
///
/// The cycles that all pins have lasted need no time for each pin: the ends count, the begins are
/// taken away, and each pin that has not ended counts the time that is reached.
/// Latency: what an input says is counted in the clock after it. Throughput: all inputs each clock.
/// Rules: a sector that hits was asked for, or comes with a fetch of the other partition.
/* verilator lint_off BLKSEQ */  // values inside one clock
module net_counters (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [3:0]  accesses_i,       /// sectors that a request asks for
  input  logic [3:0]  hits_i,           /// of those, present or on their way
  input  logic [3:0]  reads_i,          /// that memory is asked for
  input  logic [3:0]  writes_i,         /// that leave for memory
  input  logic        served_i,         /// the hash gets a service:
  input  logic [31:0] served_at_i,
  input  logic [31:0] served_line_i,
  input  logic [22:0] outcome_i,        /// {slice, kind, sectors present, asked, merged, 1}
  input  logic [3:0]  told_i,           /// net_tags.sv: of a service, at served_at_i,
  input  logic [4:0]  ended_i,          /// or without one: at reached_i
  input  logic [31:0] reached_i,

  output logic [63:0] accesses_o,
  output logic [63:0] hits_o,
  output logic [63:0] reads_o,
  output logic [63:0] writes_o,
  output logic [63:0] hash_o,
  output logic [63:0] others_o,         /// requests of customers that are no SMs
  output logic [63:0] other_hits_o,
  output logic [63:0] pins_o,
  output logic [63:0] refused_o,
  output logic [63:0] pinned_o          /// cycles
);
  logic [63:0] balance_q;               // ends of pins less their begins
  logic [15:0] pinned_q;                // pins that have not ended
  logic [31:0] high_q, was_reached_q;   // how often reached_i has begun again; what it was
  // inside one clock
  logic [63:0] mix, now, at;

  /// how many sectors of a mask there are
  function automatic logic [63:0] number_of(input logic [3:0] sectors);
    number_of = 64'(sectors[0]) + 64'(sectors[1]) + 64'(sectors[2]) + 64'(sectors[3]);
  endfunction

  always_ff @(posedge clk_i) begin : count
    if (!rst_ni) begin
      accesses_o <= '0;
      hits_o     <= '0;
      reads_o    <= '0;
      writes_o   <= '0;
      hash_o     <= '0;
      others_o     <= '0;
      other_hits_o <= '0;
      pins_o       <= '0;
      refused_o    <= '0;
      pinned_o     <= '0;
      balance_q    <= '0;
      pinned_q     <= '0;
      high_q       <= '0;
    end else begin
      if (accesses_i != '0) accesses_o <= accesses_o + number_of(accesses_i);
      if (hits_i != '0)     hits_o     <= hits_o + number_of(hits_i);
      if (reads_i != '0)    reads_o    <= reads_o + number_of(reads_i);
      if (writes_i != '0)   writes_o   <= writes_o + number_of(writes_i);
      if (served_i) begin
        mix    = {served_at_i, served_line_i};
        hash_o <= hash_o + (mix ^ (mix >> 29)) * 64'(outcome_i);
      end
      if (reached_i < was_reached_q) high_q <= high_q + 1'b1;
      if (told_i != '0 || ended_i != '0) begin
        if (told_i[3]) others_o     <= others_o + 1'b1;
        if (told_i[2]) other_hits_o <= other_hits_o + 1'b1;
        if (told_i[1]) pins_o       <= pins_o + 1'b1;
        if (told_i[0]) refused_o    <= refused_o + 1'b1;
        now = {high_q, reached_i};
        at  = now;
        if (served_i) at = now + 64'($signed(served_at_i - reached_i));
        balance_q <= balance_q + at * 64'(ended_i) - (told_i[1] ? at : 64'd0);
        pinned_q  <= pinned_q + 16'(told_i[1]) - 16'(ended_i);
      end
      if (pinned_q != '0 || pinned_o != balance_q)
        pinned_o <= balance_q + {high_q, reached_i} * 64'(pinned_q);
    end
    was_reached_q <= rst_ni ? reached_i : 32'd0;
  end
endmodule
