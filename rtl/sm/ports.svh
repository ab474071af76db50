// Ports of the register file, part of update: when an instruction of fixed latency has its operands.
//
// A sub-core has two banks, even registers and odd ones, each read once a cycle. An instruction
// reads within three cycles; when its predecessors have taken too many of them it is late, and
// nothing issues meanwhile. A bank's word says how many of the first cycles of the next instruction
// are taken, were it to issue as early as it can, and holds the reuse cache: for each of three
// operand slots the warp and the register kept there.
// Reads  fet_operands_q, fet_bank*_q, fet_after_q.
// Writes up_at_d (the issue, and what it is late by), up_bank*_d, held in up_sched_d.
task automatic ports_read();
  logic [1:0]       reads0, reads1, taken0, taken1, late0, late1, late;
  logic [BankW-1:0] kept0, kept1;
  time_t            apart;
  reads0 = '0;
  reads1 = '0;
  kept0  = fet_bank0_q;
  kept1  = fet_bank1_q;
  if (up_class_d.ports) begin
    read_bank(1'b0, fet_bank0_q, reads0, kept0);
    read_bank(1'b1, fet_bank1_q, reads1, kept1);
  end
  apart  = fet_at_q - fet_after_q;
  taken0 = still_taken(fet_bank0_q[1:0], apart);
  taken1 = still_taken(fet_bank1_q[1:0], apart);
  late0  = late_by(taken0, reads0);
  late1  = late_by(taken1, reads1);
  late   = late0 > late1 ? late0 : late1;
  up_at_d         = fet_at_q + TimeW'(late);
  up_sched_d.held = late;
  up_bank0_d      = {kept0[BankW-1:2], next_taken(taken0, reads0, late)};
  up_bank1_d      = {kept1[BankW-1:2], next_taken(taken1, reads1, late)};
endtask

/// cycles that are still taken so much later
function automatic logic [1:0] still_taken(input logic [1:0] taken, input time_t later);
  still_taken = later >= TimeW'(taken) ? 2'd0 : taken - later[1:0];
endfunction

/// cycles until so many reads fit into three cycles of which some are taken
function automatic logic [1:0] late_by(input logic [1:0] taken, input logic [1:0] reads);
  late_by = {1'b0, taken} + {1'b0, reads} > 3'd3 && reads != 2'd0 ? taken + reads - 2'd3 : 2'd0;
endfunction

/// what the reads of an instruction leave taken for one that issues in the cycle after it
function automatic logic [1:0] next_taken(input logic [1:0] taken, input logic [1:0] reads,
                                          input logic [1:0] late);
  logic [1:0] all;
  all = (taken > late ? taken - late : 2'd0) + reads;
  next_taken = all == 2'd0 ? 2'd0 : all - 2'd1;
endfunction

// The operands that the instruction wants of a bank: how many registers are read there, and what is
// kept of them afterwards.
task automatic read_bank(input logic odd, input logic [BankW-1:0] bank, output logic [1:0] reads,
                         output logic [BankW-1:0] kept);
  logic [KeptW-1:0] want0, want1, want2;
  logic [2:0]       here, missing, same, reuse;
  want0 = {1'b1, fet_visit_q.warp, fet_operands_q.src0[7:1]};
  want1 = {1'b1, fet_visit_q.warp, fet_operands_q.src1[7:1]};
  want2 = {1'b1, fet_visit_q.warp, fet_operands_q.src2[7:1]};
  here  = {fet_operands_q.src2 != NoRegister
             && (fet_operands_q.pairs[2] || fet_operands_q.src2[0] == odd),
           fet_operands_q.src1 != NoRegister
             && (fet_operands_q.pairs[1] || fet_operands_q.src1[0] == odd),
           fet_operands_q.src0 != NoRegister
             && (fet_operands_q.pairs[0] || fet_operands_q.src0[0] == odd)};
  missing = here & {bank[2+2*KeptW +: KeptW] != want2, bank[2+KeptW +: KeptW] != want1,
                    bank[2 +: KeptW] != want0};
  // A register that is several operands is read once.
  same  = {(missing[0] && want2 == want0) || (missing[1] && want2 == want1),
           missing[0] && want1 == want0, 1'b0};
  same  = missing & ~same;
  reads = {1'b0, same[0]} + {1'b0, same[1]} + {1'b0, same[2]};
  reuse = up_class_d.reuse ? fet_operands_q.reuse : '0;
  kept  = bank;
  if (here[0]) kept[2 +: KeptW]         = reuse[0] ? want0 : '0;
  if (here[1]) kept[2+KeptW +: KeptW]   = reuse[1] ? want1 : '0;
  if (here[2]) kept[2+2*KeptW +: KeptW] = reuse[2] ? want2 : '0;
endtask
