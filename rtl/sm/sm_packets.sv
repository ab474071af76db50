/// Packets of the warps: what the host has sent and no visit has taken yet.
///
/// A warp has a ring of 1 << BufferBits packets. All packets of a beat, up to three, enter it in
/// the clock of store_i: they are of one warp and follow each other, so they never meet in a bank
/// of cell/banked_ram.sv. A visit reads the operands of the packet that issues and the head of the
/// one behind it; sm_warp.sv has how far it has read.
/// needs_o tells the command port that a wake-up must follow: the warp stands without instruction,
/// or a visit under way that found few packets may leave it so.
/// Latency: packets can be read in the clock after store_i; reads are of stage fetch for stage
/// code. Throughput: a beat and a visit each clock.
/// Rules: no more packets of a warp than its ring holds (the host counts them).
`include "heddle_assert.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
module sm_packets #(`SM_PARAMETERS) (
  input  logic              clk_i,
  input  logic              init_i,        /// the count of this warp becomes 0
  input  logic [IdW-1:0]    init_id_i,

  // command port
  input  logic              look_i,        /// packets or line words of this warp are worked off
  input  logic [IdW-1:0]    id_i,
  /* verilator lint_off UNUSEDSIGNAL */    // a part of each packet, and the command
  input  logic [511:0]      beat_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [2:0]        store_i,       /// these payload words of it are packets, and enter
  output logic              needs_o,

  // visits
  input  logic              fet_valid_i,
  input  logic              cod_valid_i,
  input  logic              loo_valid_i,
  input  logic              upd_valid_i,
  input  logic [IdW-1:0]    fet_id_i,
  input  logic [IdW-1:0]    cod_id_i,
  input  logic [IdW-1:0]    loo_id_i,
  input  logic [IdW-1:0]    upd_id_i,
  input  logic              upd_needs_i,   /// behind this visit the warp stands without instruction
  input  logic              fet_issue_i,   /// the operands of the packet before ...
  input  logic              fet_take_i,    /// the head ...
  input  logic [BufferBits:0] fet_rd_i,    /// ... of this one are read
  output logic [60:0]       cod_operands_o,  /// operands_t
  output logic [63:0]       cod_next_o,      /// head_t
  output logic [BufferBits:0] cod_written_o, /// packets written

  // the packet that this warp will issue next, and the one behind it, will be read soon
  input  logic              hint_i,
  input  logic [IdW-1:0]    hint_id_i,
  /* verilator lint_off UNUSEDSIGNAL */    // a part
  input  logic [BufferBits:0] hint_rd_i
  /* verilator lint_on UNUSEDSIGNAL */
);
  localparam int Warps = MaxSm << 6;
  typedef logic [BufferBits:0]      ptr_t;
  typedef logic [IdW+BufferBits-1:0] place_t;

  ptr_t packet_wr_mem [Warps];             // packets written
  logic needs_mem [Warps];                 // live and has no instruction

  // ---------------------------------------------------------------- command port
  ptr_t   wr, after;
  place_t at0, at1, at2;

  always_comb begin : places
    if (`WANTED(store_i != '0)) begin
      wr    = packet_wr_mem[id_i];
      after = wr + (BufferBits+1)'(store_i[0]);
      at0   = {id_i, wr[BufferBits-1:0]};
      at1   = {id_i, after[BufferBits-1:0]};
      after = after + (BufferBits+1)'(store_i[1]);
      at2   = {id_i, after[BufferBits-1:0]};
      after = after + (BufferBits+1)'(store_i[2]);
    end
  end

  // A visit that finds two packets leaves its warp with an instruction, or is followed by another
  // one; with fewer, one of which may be a Hold, it may not.
  logic fet_few, cod_few, loo_few, upd_few;
  always_comb begin : few
    if (`WANTED(look_i))
      fet_few = (BufferBits+1)'(packet_wr_mem[fet_id_i] - fet_rd_i) < (BufferBits+1)'(2);
  end
  `STAGE(cod_few, fet_few)
  `STAGE(loo_few, cod_few)
  `STAGE(upd_few, loo_few)

  always_comb begin : starves
    needs_o = 1'b0;
    if (`WANTED(look_i))
      needs_o = needs_mem[id_i] || (fet_valid_i && fet_few && fet_id_i == id_i)
                || (cod_valid_i && cod_few && cod_id_i == id_i)
                || (loo_valid_i && loo_few && loo_id_i == id_i)
                || (upd_valid_i && upd_few && upd_id_i == id_i);
  end

  always_ff @(posedge clk_i) begin : counts
    if (init_i || store_i != '0)
      `STORE(packet_wr_mem[init_i ? init_id_i : id_i], init_i ? '0 : after);
    if (upd_valid_i) `STORE(needs_mem[upd_id_i], upd_needs_i);
  end

  // ---------------------------------------------------------------- visits
  // The same place when nothing is read: others may not be at hand for a processor that simulates.
  place_t fet_operands_at, fet_next_at, hint_operands_at;
  assign hint_operands_at = {hint_id_i, BufferBits'(hint_rd_i - 1'b1)};
  assign fet_operands_at = fet_issue_i ? {fet_id_i, BufferBits'(fet_rd_i - 1'b1)} : '0;
  assign fet_next_at     = fet_take_i ? {fet_id_i, fet_rd_i[BufferBits-1:0]} : '0;
  `STAGE(cod_written_o, packet_wr_mem[fet_id_i])

  // Of a packet the engine reads the upper half, and these parts of the lower one.
  banked_ram #(.Width(64), .Words(Warps << BufferBits), .Pipelined(Pipelined)) heads (
    .clk_i, .we_i(store_i), .at0_i(at0), .at1_i(at1), .at2_i(at2),
    .word0_i(beat_i[192 +: 64]), .word1_i(beat_i[320 +: 64]), .word2_i(beat_i[448 +: 64]),
    .at_i(fet_next_at), .word_o(cod_next_o),
    .hint_i, .hint_at_i({hint_id_i, hint_rd_i[BufferBits-1:0]})
  );
  banked_ram #(.Width(61), .Words(Warps << BufferBits), .Pipelined(Pipelined)) operands (
    .clk_i, .we_i(store_i), .at0_i(at0), .at1_i(at1), .at2_i(at2),
    .word0_i({beat_i[128 +: 44], beat_i[175 +: 17]}),
    .word1_i({beat_i[256 +: 44], beat_i[303 +: 17]}),
    .word2_i({beat_i[384 +: 44], beat_i[431 +: 17]}),
    .at_i(fet_operands_at), .word_o(cod_operands_o),
    .hint_i, .hint_at_i(hint_operands_at)
  );
endmodule
