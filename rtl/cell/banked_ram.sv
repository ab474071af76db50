/// Memory into which up to three words are written in one clock, each at a place of its own.
///
/// Pipelined it is four memories with a write port each: a word lies in the one that the low two
/// bits of its place name. Without Pipelined it is one memory, so that words which follow each
/// other stand together in the caches of the processor that simulates.
/// Latency: a word is read in a clock, without Pipelined in none; it is there in the clock after
/// its write. Throughput: three writes and a read each clock.
/// Rules: the places of words written in the same clock differ in their low two bits.
`include "heddle_assert.svh"
`include "cell/stage.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
module banked_ram #(
  parameter int Width     = 64,               /// bits of a word
  parameter int Words     = 1024,             /// a multiple of four
  parameter bit Pipelined = `HEDDLE_PIPELINED,
  localparam int Bits     = $clog2(Words)
) (
  input  logic             clk_i,
  input  logic [2:0]       we_i,              /// of the three words below: they are written
  input  logic [Bits-1:0]  at0_i,             /// place,
  input  logic [Bits-1:0]  at1_i,
  input  logic [Bits-1:0]  at2_i,
  input  logic [Width-1:0] word0_i,           /// word
  input  logic [Width-1:0] word1_i,
  input  logic [Width-1:0] word2_i,
  input  logic [Bits-1:0]  at_i,              /// place that is read
  output logic [Width-1:0] word_o,
  /* verilator lint_off UNUSEDSIGNAL */       // in simulation only
  input  logic             hint_i,            /// this place will be read soon; changes no value
  input  logic [Bits-1:0]  hint_at_i
  /* verilator lint_on UNUSEDSIGNAL */
);
  if (Pipelined) begin : gen_banks
    logic [4*Width-1:0] banks;                // what each shows
    logic [1:0]         bank_q;               // the one that was meant
    for (genvar b = 0; b < 4; b++) begin : gen_bank
      logic [Width-1:0] word_mem [Words / 4];
      logic [Width-1:0] word, word_q;
      logic [Bits-3:0]  at;
      logic [2:0]       here;
      assign here = we_i & {at2_i[1:0] == b, at1_i[1:0] == b, at0_i[1:0] == b};
      assign at   = here[2] ? at2_i[Bits-1:2] : here[1] ? at1_i[Bits-1:2] : at0_i[Bits-1:2];
      assign word = here[2] ? word2_i : here[1] ? word1_i : word0_i;
      always_ff @(posedge clk_i) begin : ports
        if (here != '0) word_mem[at] <= word;
        word_q <= word_mem[at_i[Bits-1:2]];
      end
      assign banks[b*Width +: Width] = word_q;
    end
    always_ff @(posedge clk_i) bank_q <= at_i[1:0];
    assign word_o = banks[bank_q*Width +: Width];
  end else begin : gen_one
    logic [Width-1:0] word_mem [Words];
    always_ff @(posedge clk_i) begin : ports
      if (we_i != '0) begin
        if (we_i[0]) `STORE(word_mem[at0_i], word0_i);
        if (we_i[1]) `STORE(word_mem[at1_i], word1_i);
        if (we_i[2]) `STORE(word_mem[at2_i], word2_i);
      end
    end
    assign word_o = word_mem[at_i];
    // A read of any other number of words stands inside a comparison, and has no address.
    if (Words == 1 << Bits) begin : gen_hint
      always_ff @(posedge clk_i) if (hint_i) begin `PREFETCH(word_mem[hint_at_i]) end
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    `ASSERT_IF(BanksApart01, we_i[0] && we_i[1], at0_i[1:0] != at1_i[1:0])
    `ASSERT_IF(BanksApart02, we_i[0] && we_i[2], at0_i[1:0] != at2_i[1:0])
    `ASSERT_IF(BanksApart12, we_i[1] && we_i[2], at1_i[1:0] != at2_i[1:0])
    rules_clock = rules_clock + 1;
  end
`endif
endmodule
