/// The read ports of the register file: when an instruction that goes to no queue has its operands.
///
/// A sub-core has two banks, even registers and odd ones, each read once a cycle. An instruction
/// reads within three cycles; when its predecessors have taken too many of them it is late, and
/// nothing issues meanwhile. Of each bank is known the first issue whose first cycle is not taken,
/// and what the reuse cache keeps.
/// Latency: stage look tells how late; stage update keeps it, if the instruction issues.
/// Throughput: a visit each clock.
/// Rules: one visit to a sub-core at a time. upd_issue_i belongs to the visit that was in stage
/// look before.
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE
module sm_operands #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic                scrub_all_i,
  input  logic [TimeW-1:0]    scrub_floor_i,

  input  logic [RowW-1:0]     cod_row_i,     /// stage code: the sub-core visited
  // stage look
  input  logic                loo_issue_i,   /// a visit that may issue
  input  logic [WarpBits-1:0] loo_warp_i,
  input  logic [TimeW-1:0]    loo_at_i,
  input  logic                loo_ports_i,   /// its instruction reads through these ports,
  input  logic                loo_reuse_i,   /// and may keep what it reads:
  input  logic [20:0]         loo_src_i,     /// per slot: register without the lowest bit
  input  logic [2:0]          loo_even_i, loo_odd_i,  /// slots of the two banks
  input  logic [2:0]          loo_keep_i,    /// slots that are kept
  output logic [TimeW-1:0]    loo_issue_at_o,  /// its operands are those of an issue at

  // stage update
  input  logic [RowW-1:0]     upd_row_i,
  input  logic                upd_init_i, upd_scrub_i,
  input  logic                upd_issue_i    /// it issues
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
`include "scrub_times.svh"
  // of a bank, the three slots of its reuse cache: {warps, registers, valid}
  localparam int Registers = 3, Warps = Registers + 3*7, KeptW = Warps + 3*WarpBits;

  time_t            bank0_mem [MaxSm*SubPerSm];  // even registers: read from ...
  time_t            bank1_mem [MaxSm*SubPerSm];  // ... on; odd ones
  logic [KeptW-1:0] kept0_mem [MaxSm*SubPerSm];  // reuse cache of even registers
  logic [KeptW-1:0] kept1_mem [MaxSm*SubPerSm];  // of odd ones

  time_t  loo_old0, loo_old1, upd_old0, upd_old1;      // what the memories hold,
  time_t  loo_bank0, loo_bank1, upd_bank0, upd_bank1;  // and will hold
  logic [KeptW-1:0] loo_was0, loo_was1, loo_kept0, loo_kept1, upd_kept0, upd_kept1;
  logic   loo_kept_we, upd_kept_we;

  // ---------------------------------------------------------------- stage look
  `STAGE(loo_old0, bank0_mem[cod_row_i])
  `STAGE(loo_old1, bank1_mem[cod_row_i])
  `STAGE(loo_was0, kept0_mem[cod_row_i])
  `STAGE(loo_was1, kept1_mem[cod_row_i])

  /// how many of three bits are set: two bits for each of the eight values, the lowest first
  function automatic logic [1:0] count_reads(input logic [2:0] slots);
    count_reads = 2'(16'b11_10_10_01_10_01_01_00 >> {slots, 1'b0});
  endfunction

  /// slots whose registers, of this warp, the reuse cache of a bank has
  function automatic logic [2:0] hits(input logic [2:0] slots, input logic [KeptW-1:0] kept,
                                      input logic [20:0] src, input warp_t warp);
    logic [20:0] registers;
    logic [3*WarpBits-1:0] warps;
    hits = slots & kept[2:0];
    registers = kept[Registers +: 21] ^ src;
    warps     = kept[Warps +: 3*WarpBits] ^ {3{warp}};
    hits = hits & {registers[20:14] == '0 && warps[2*WarpBits +: WarpBits] == '0,
                   registers[13:7] == '0 && warps[WarpBits +: WarpBits] == '0,
                   registers[6:0] == '0 && warps[WarpBits-1:0] == '0};
  endfunction

  /// the reuse cache of a bank after reads of these slots, each of which is kept or makes room
  function automatic logic [KeptW-1:0] keep(input logic [2:0] slots, input logic [2:0] reuse,
                                            input logic [KeptW-1:0] kept,
                                            input logic [20:0] src, input warp_t warp);
    keep      = kept;
    keep[2:0] = (kept[2:0] & ~slots) | (slots & reuse);
    for (int s = 0; s < 3; s++)
      if (slots[s] && reuse[s]) begin
        keep[Registers + 7*s +: 7] = src[7*s +: 7];
        keep[Warps + WarpBits*s +: WarpBits] = warp;
      end
  endfunction

  always_comb begin : look
    logic [2:0] even, odd, reuse;
    logic [1:0] reads0, reads1;
    // issue by what a bank has to read; its next time, by that itself, by the issue, by the other
    time_t      by0, by1, own0, own1, at0, at1, oth0, oth1;
    logic       now0, now1;                  // the bank makes the issue no later
    even   = loo_ports_i ? loo_even_i : '0;
    odd    = loo_ports_i ? loo_odd_i : '0;
    reuse  = loo_reuse_i ? loo_keep_i : '0;
    reads0 = 'x;
    reads1 = 'x;
    if (Pipelined) {by0, by1, own0, own1, at0, at1, oth0, oth1, now0, now1} = 'x;
    loo_kept0   = loo_was0;
    loo_kept1   = loo_was1;
    loo_kept_we = 1'b0;
    loo_bank0   = loo_old0;
    loo_bank1   = loo_old1;
    loo_issue_at_o = loo_at_i;
    if (loo_issue_i) begin
      if (((even & (reuse | loo_was0[2:0])) | (odd & (reuse | loo_was1[2:0]))) != '0) begin
        loo_kept_we = 1'b1;
        loo_kept0   = keep(even, reuse, loo_was0, loo_src_i, loo_warp_i);
        loo_kept1   = keep(odd, reuse, loo_was1, loo_src_i, loo_warp_i);
        even = even & ~hits(even, loo_was0, loo_src_i, loo_warp_i);
        odd  = odd & ~hits(odd, loo_was1, loo_src_i, loo_warp_i);
      end
      reads0 = count_reads(even);
      reads1 = count_reads(odd);
      if (Pipelined) begin
        // Everything is compared at once. A bank's own reads make its issue no later than it is.
        by0  = loo_old0 + TimeW'(reads0) - TimeW'(3);
        by1  = loo_old1 + TimeW'(reads1) - TimeW'(3);
        own0 = loo_old0 + TimeW'(reads0);
        own1 = loo_old1 + TimeW'(reads1);
        at0  = loo_at_i + TimeW'(reads0);
        at1  = loo_at_i + TimeW'(reads1);
        oth0 = by1 + TimeW'(reads0);
        oth1 = by0 + TimeW'(reads1);
        now0 = reads0 == '0 || !earlier(loo_at_i, by0);
        now1 = reads1 == '0 || !earlier(loo_at_i, by1);
        loo_issue_at_o = now0 && now1 ? loo_at_i
            : reads1 == '0 || (reads0 != '0 && !earlier(by0, by1)) ? by0 : by1;
        if (reads0 != '0)
          loo_bank0 = !earlier(loo_at_i, loo_old0) && now1 ? at0
              : reads1 == '0 || !earlier(loo_old0, by1) ? own0 : oth0;
        if (reads1 != '0)
          loo_bank1 = !earlier(loo_at_i, loo_old1) && now0 ? at1
              : reads0 == '0 || !earlier(loo_old1, by0) ? own1 : oth1;
      end else begin
        if (reads0 != '0)
          loo_issue_at_o = latest(loo_issue_at_o, loo_old0 + TimeW'(reads0) - TimeW'(3));
        if (reads1 != '0)
          loo_issue_at_o = latest(loo_issue_at_o, loo_old1 + TimeW'(reads1) - TimeW'(3));
        if (reads0 != '0) loo_bank0 = latest(loo_old0, loo_issue_at_o) + TimeW'(reads0);
        if (reads1 != '0) loo_bank1 = latest(loo_old1, loo_issue_at_o) + TimeW'(reads1);
      end
    end
  end

  // ---------------------------------------------------------------- stage update
  `STAGE(upd_old0, loo_old0)
  `STAGE(upd_old1, loo_old1)
  `STAGE(upd_bank0, loo_bank0)
  `STAGE(upd_bank1, loo_bank1)
  `STAGE(upd_kept0, loo_kept0)
  `STAGE(upd_kept1, loo_kept1)
  `STAGE(upd_kept_we, loo_kept_we)

  time_t            upd_keep0, upd_keep1;
  logic [KeptW-1:0] upd_keep_kept0, upd_keep_kept1;
  always_comb begin : values
    upd_keep0      = upd_bank0;
    upd_keep1      = upd_bank1;
    upd_keep_kept0 = upd_kept0;
    upd_keep_kept1 = upd_kept1;
    if (upd_scrub_i) begin
      upd_keep0 = fresh(upd_old0, scrub_all_i, scrub_floor_i);
      upd_keep1 = fresh(upd_old1, scrub_all_i, scrub_floor_i);
    end
    if (upd_init_i) begin
      upd_keep0      = '0;
      upd_keep1      = '0;
      upd_keep_kept0 = '0;
      upd_keep_kept1 = '0;
    end
  end

  always_ff @(posedge clk_i) begin : write
    if (upd_issue_i || upd_init_i || upd_scrub_i) begin
      `STORE(bank0_mem[upd_row_i], upd_keep0);
      `STORE(bank1_mem[upd_row_i], upd_keep1);
      if (upd_init_i || (upd_kept_we && !upd_scrub_i)) begin
        `STORE(kept0_mem[upd_row_i], upd_keep_kept0);
        `STORE(kept1_mem[upd_row_i], upd_keep_kept1);
      end
    end
  end
endmodule
