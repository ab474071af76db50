// Parameters of the modules of the SM engine, and the widths of their ports, which follow from
// them.
//
// Ports are flat vectors: yosys 0.23 cannot take a type that depends on a parameter for a port. A
// module that includes sm_types.svh gives them their types again.
`ifndef HEDDLE_SM_PARAMETERS_SVH
`define HEDDLE_SM_PARAMETERS_SVH
`include "heddle_macros.svh"
`define SM_PARAMETERS \
  /* verilator lint_off UNUSEDPARAM */ \
  parameter int MaxSm   = 144, \
  parameter int SubBits = 2, \
  parameter int TimeW   = 32, \
  parameter bit Pipelined = `HEDDLE_PIPELINED, \
  localparam int SmBits = $clog2(MaxSm), \
  localparam int WarpBits    = 6 - SubBits, \
  localparam int WarpsPerSub = 1 << WarpBits, \
  localparam int SlotBits    = Pipelined ? 4 : 2, \
  localparam int NumSlots    = 1 << SlotBits, \
  localparam int SubPerSm    = 1 << SubBits, \
  localparam int BoundsW     = SubPerSm*(TimeW + 1), \
  localparam int CtxBits     = SlotBits + SubBits, \
  localparam int NumCtx      = 1 << CtxBits, \
  localparam int CtaBits     = 5, \
  localparam int BufferBits  = 6, \
  localparam int LineNoW     = 17, \
  localparam int RowW        = SmBits + SubBits, \
  localparam int IdW         = SmBits + SubBits + WarpBits, \
  localparam int ExtraW      = TimeW > LineNoW ? TimeW : LineNoW, \
  localparam int ArgW        = 3 + 7 + 3 + 6 + CtaBits, \
  localparam int VisitW      = 3 + 1 + SlotBits + IdW + ArgW \
  /* verilator lint_on UNUSEDPARAM */
// Hands the parameters to a module.
`define SM_PASS .MaxSm(MaxSm), .SubBits(SubBits), .TimeW(TimeW), .Pipelined(Pipelined)
`endif
