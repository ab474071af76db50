// Ports of the register file, part of stage 7, look: when an instruction that goes to no queue has
// its operands.
//
// A sub-core has two banks, even registers and odd ones, each read once a cycle. An instruction
// reads within three cycles; when its predecessors have taken too many of them it is late, and
// nothing issues meanwhile. Of each bank is known the first issue whose first cycle is not taken,
// and what the reuse cache keeps.
// Reads  fet_operands_q, fet_bank*_q, fet_kept*_q, up_class_d.
// Writes up_at_d (the issue, and what it is late by), up_bank*_d, up_kept*_d.
task automatic ports_read();
  logic [2:0] even, odd, reuse;
  logic [1:0] reads0, reads1;
  even  = up_class_d.ports ? fet_operands_q.even : '0;
  odd   = up_class_d.ports ? fet_operands_q.odd : '0;
  reuse = up_class_d.reuse ? fet_operands_q.reuse : '0;
  if (((even & (reuse | fet_kept0_q[2:0])) | (odd & (reuse | fet_kept1_q[2:0]))) != '0) begin
    up_kept_we_d = 1'b1;
    up_kept0_d   = keep(even, reuse, fet_kept0_q);
    up_kept1_d   = keep(odd, reuse, fet_kept1_q);
    even = even & ~hits(even, fet_kept0_q);
    odd  = odd & ~hits(odd, fet_kept1_q);
  end
  reads0   = count_reads(even);
  reads1   = count_reads(odd);
  up_at_d  = fet_at_q;
  up_bank0_d = fet_bank0_q;
  up_bank1_d = fet_bank1_q;
  if (reads0 != '0) up_at_d = latest(up_at_d, fet_bank0_q + TimeW'(reads0) - TimeW'(3));
  if (reads1 != '0) up_at_d = latest(up_at_d, fet_bank1_q + TimeW'(reads1) - TimeW'(3));
  if (reads0 != '0) up_bank0_d = latest(fet_bank0_q, up_at_d) + TimeW'(reads0);
  if (reads1 != '0) up_bank1_d = latest(fet_bank1_q, up_at_d) + TimeW'(reads1);
endtask

/// how many of three bits are set: two bits for each of the eight values, the lowest first
function automatic logic [1:0] count_reads(input logic [2:0] slots);
  count_reads = 2'(16'b11_10_10_01_10_01_01_00 >> {slots, 1'b0});
endfunction

/// operand slots whose registers the reuse cache of a bank has
function automatic logic [2:0] hits(input logic [2:0] slots, input logic [KeptW-1:0] kept);
  logic [20:0] registers;
  logic [3*WarpBits-1:0] warps;
  hits = slots & kept[2:0];
  if (hits != '0) begin
    registers = kept[KeptRegisters +: 21] ^ fet_operands_q.src;
    warps     = kept[KeptWarps +: 3*WarpBits] ^ {3{fet_visit_q.warp}};
    hits = hits & {registers[20:14] == '0 && warps[2*WarpBits +: WarpBits] == '0,
                   registers[13:7] == '0 && warps[WarpBits +: WarpBits] == '0,
                   registers[6:0] == '0 && warps[WarpBits-1:0] == '0};
  end
endfunction

/// the reuse cache of a bank after reads of these slots, each of which is kept or makes room
function automatic logic [KeptW-1:0] keep(input logic [2:0] slots, input logic [2:0] reuse,
                                          input logic [KeptW-1:0] kept);
  keep      = kept;
  keep[2:0] = (kept[2:0] & ~slots) | (slots & reuse);
  for (int s = 0; s < 3; s++)
    if (slots[s] && reuse[s]) begin
      keep[KeptRegisters + 7*s +: 7] = fet_operands_q.src[7*s +: 7];
      keep[KeptWarps + WarpBits*s +: WarpBits] = fet_visit_q.warp;
    end
endfunction
