/// Counters of the network engine: sectors, and the hash of every service.
///
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

  output logic [63:0] accesses_o,
  output logic [63:0] hits_o,
  output logic [63:0] reads_o,
  output logic [63:0] writes_o,
  output logic [63:0] hash_o
);
  logic [63:0] mix;                     // inside one clock

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
    end else begin
      if (accesses_i != '0) accesses_o <= accesses_o + number_of(accesses_i);
      if (hits_i != '0)     hits_o     <= hits_o + number_of(hits_i);
      if (reads_i != '0)    reads_o    <= reads_o + number_of(reads_i);
      if (writes_i != '0)   writes_o   <= writes_o + number_of(writes_i);
      if (served_i) begin
        mix    = {served_at_i, served_line_i};
        hash_o <= hash_o + (mix ^ (mix >> 29)) * 64'(outcome_i);
      end
    end
  end
endmodule
