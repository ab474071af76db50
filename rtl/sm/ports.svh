// Ports of the register file, part of update: when an instruction that goes to no queue has its
// operands.
//
// A sub-core has two banks, even registers and odd ones, each read once a cycle. An instruction
// reads within three cycles; when its predecessors have taken too many of them it is late, and
// nothing issues meanwhile. Of each bank is known how many of the first cycles of the next
// instruction are taken, were it to issue as early as it can, and what the reuse cache keeps.
// Reads  fet_operands_q, fet_bank*_q, fet_after_q, up_class_d.
// Writes up_at_d (the issue, and what it is late by), up_bank*_d, held in up_sched_d.
task automatic ports_read();
  logic [1:0] reads0, reads1, taken0, taken1, late0, late1;
  logic [2:0] reuse;
  time_t      apart;
  reads0     = '0;
  reads1     = '0;
  up_bank0_d = fet_bank0_q;
  up_bank1_d = fet_bank1_q;
  if (up_class_d.ports) begin
    reuse  = up_class_d.reuse ? fet_operands_q.reuse : '0;
    reads0 = count_reads(fet_operands_q.even & ~hits(fet_operands_q.even, fet_bank0_q[BankW-1:2]));
    reads1 = count_reads(fet_operands_q.odd & ~hits(fet_operands_q.odd, fet_bank1_q[BankW-1:2]));
    up_bank0_d[BankW-1:2] = keep(fet_operands_q.even, reuse, fet_bank0_q[BankW-1:2]);
    up_bank1_d[BankW-1:2] = keep(fet_operands_q.odd, reuse, fet_bank1_q[BankW-1:2]);
  end
  apart  = fet_at_q - fet_after_q;
  taken0 = apart > TimeW'(2) ? 2'd0 : less(fet_bank0_q[1:0], apart[1:0]);
  taken1 = apart > TimeW'(2) ? 2'd0 : less(fet_bank1_q[1:0], apart[1:0]);
  late0  = late_by(taken0, reads0);
  late1  = late_by(taken1, reads1);
  if (late1 > late0) late0 = late1;
  up_at_d         = fet_at_q + TimeW'(late0);
  up_sched_d.held = late0;
  // What its reads leave taken for an instruction that issues in the cycle behind it.
  up_bank0_d[1:0] = less(less(taken0, late0) + reads0, 2'd1);
  up_bank1_d[1:0] = less(less(taken1, late0) + reads1, 2'd1);
endtask

/// a - b, at least 0
function automatic logic [1:0] less(input logic [1:0] a, input logic [1:0] b);
  less = a > b ? a - b : 2'd0;
endfunction

function automatic logic [1:0] count_reads(input logic [2:0] slots);
  count_reads = {1'b0, slots[0]} + {1'b0, slots[1]} + {1'b0, slots[2]};
endfunction

/// cycles until so many reads fit into three cycles of which some are taken
function automatic logic [1:0] late_by(input logic [1:0] taken, input logic [1:0] reads);
  logic [2:0] all;
  all     = {1'b0, taken} + {1'b0, reads};
  late_by = all > 3'd3 && reads != 2'd0 ? 2'(all - 3'd3) : 2'd0;
endfunction

/// operand slots whose registers the reuse cache of a bank has
function automatic logic [2:0] hits(input logic [2:0] slots, input logic [KeptW-1:0] kept);
  logic [20:0] registers;
  logic [11:0] warps;
  hits = slots & kept[2:0];
  if (hits != '0) begin
    registers = kept[KeptRegisters +: 21] ^ fet_operands_q.src;
    warps     = kept[KeptWarps +: 12] ^ {3{fet_visit_q.warp}};
    hits = hits & {registers[20:14] == '0 && warps[11:8] == '0,
                   registers[13:7] == '0 && warps[7:4] == '0,
                   registers[6:0] == '0 && warps[3:0] == '0};
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
      keep[KeptWarps + 4*s +: 4]     = fet_visit_q.warp;
    end
endfunction
