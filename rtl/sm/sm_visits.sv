/// The visits under way: what all stages need to know of theirs.
///
/// Stages: select, relative, minimum, choose, fetch, code, look, update, ready, row. What else a
/// stage hands on to the next one is held by the module that needs it.
/// Latency: a clock for each stage when Pipelined, else none: a visit passes all in one clock.
/// Throughput: a visit each clock.
/// Rules: a flag of a kind means that there is a visit.
`include "cell/stage.svh"
`include "sm_parameters.svh"
module sm_visits #(`SM_PARAMETERS) (
  /* verilator lint_off UNUSEDSIGNAL */  // wires have no clock
  input  logic               clk_i,
  input  logic               rst_ni,
  /* verilator lint_on UNUSEDSIGNAL */

  input  logic               sel_valid_i,    /// stage select has chosen a visit
  input  logic [2:0]         sel_kind_i,
  input  logic               sel_in_slot_i,  /// the SM has a slot,
  input  logic [CtxBits-1:0] sel_ctx_i,      /// the sub-core this place in it
  input  logic [IdW-1:0]     sel_id_i,       /// the warp; its sub-core only, if it may issue
  input  logic [ArgW-1:0]    sel_arg_i,
  input  logic [TimeW-1:0]   sel_at_i,       /// it takes effect at,
  input  logic [ExtraW-1:0]  sel_extra_i,    /// and brings beside that
  output logic               rel_valid_o, min_valid_o, cho_valid_o,
  output logic               rel_issue_o, min_issue_o, cho_issue_o,  /// it may issue
  output logic [2:0]         rel_kind_o,
  output logic               rel_in_slot_o,
  output logic [CtxBits-1:0] rel_ctx_o, cho_ctx_o,
  output logic [IdW-1:0]     rel_id_o, cho_id_o,
  output logic [ArgW-1:0]    cho_arg_o,
  output logic [TimeW-1:0]   rel_at_o,

  input  logic               go_i,           /// stage choose: it goes on,
  input  logic [IdW-1:0]     go_id_i,        /// to this warp
  input  logic [ArgW-1:0]    go_arg_i,
  input  logic [TimeW-1:0]   go_at_i,
  input  logic               go_late_i,      /// with the credit of an operation that waits,
  input  logic [2:0]         go_late_bar_i,  /// its counter of operands
  input  logic [31:0]        go_after_i,     /// nothing issues in the sub-core before
  output logic               fet_valid_o, cod_valid_o, loo_valid_o, upd_valid_o, rdy_valid_o,
                             row_valid_o,
  output logic               fet_issue_o, cod_issue_o, loo_issue_o, upd_issue_o,
  output logic               fet_take_o,     /// it may take a packet
  output logic               cod_init_o, loo_init_o, upd_init_o, rdy_init_o, row_init_o,
  output logic               cod_scrub_o, loo_scrub_o, upd_scrub_o, rdy_scrub_o, row_scrub_o,
  output logic               cod_come_o, loo_come_o, upd_count_o,  /// KindCode, KindCount
  output logic [2:0]         upd_kind_o, row_kind_o,
  output logic               row_in_slot_o,
  output logic [CtxBits-1:0] rdy_ctx_o, row_ctx_o,
  output logic [IdW-1:0]     fet_id_o, cod_id_o, loo_id_o, upd_id_o, rdy_id_o, row_id_o,
  output logic [ArgW-1:0]    cod_arg_o, loo_arg_o, upd_arg_o, rdy_arg_o, row_arg_o,
  output logic [TimeW-1:0]   cod_at_o, loo_at_o, upd_at_o, rdy_at_o, row_at_o,
  output logic [31:0]        cod_after_o, upd_after_o,
  output logic [ExtraW-1:0]  loo_extra_o, upd_extra_o,
  output logic               upd_late_o,
  output logic [2:0]         upd_late_bar_o
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
  // ---------------------------------------------------------------- whether there is one
  `STAGE_VALID(rel_valid_o, sel_valid_i)
  `STAGE_VALID(min_valid_o, rel_valid_o)
  `STAGE_VALID(cho_valid_o, min_valid_o)
  `STAGE_VALID(fet_valid_o, go_i)
  `STAGE_VALID(cod_valid_o, fet_valid_o)
  `STAGE_VALID(loo_valid_o, cod_valid_o)
  `STAGE_VALID(upd_valid_o, loo_valid_o)
  `STAGE_VALID(rdy_valid_o, upd_valid_o)
  `STAGE_VALID(row_valid_o, rdy_valid_o)

  // ---------------------------------------------------------------- its kind
  logic [2:0] min_kind, cho_kind, fet_kind, cod_kind, loo_kind, rdy_kind;
  logic       sel_issue, go_issue, fet_init, fet_scrub, fet_come, fet_count, cod_count,
              loo_count;
  assign sel_issue  = sel_valid_i && sel_kind_i == KindIssue;
  assign go_issue   = go_i && cho_issue_o;
  assign fet_init   = fet_valid_o && fet_kind == KindInit;
  assign fet_scrub  = fet_valid_o && fet_kind == KindScrub;
  assign fet_come   = fet_valid_o && fet_kind == KindCode;
  assign fet_count  = fet_valid_o && fet_kind == KindCount;
  assign fet_take_o = fet_valid_o && fet_kind != KindCount && fet_kind != KindResume;
  `STAGE(rel_kind_o, sel_kind_i)
  `STAGE(min_kind, rel_kind_o)
  `STAGE(cho_kind, min_kind)
  `STAGE(fet_kind, cho_kind)
  `STAGE(cod_kind, fet_kind)
  `STAGE(loo_kind, cod_kind)
  `STAGE(upd_kind_o, loo_kind)
  `STAGE(rdy_kind, upd_kind_o)
  `STAGE(row_kind_o, rdy_kind)
  `STAGE_VALID(rel_issue_o, sel_issue)
  `STAGE_VALID(min_issue_o, rel_issue_o)
  `STAGE_VALID(cho_issue_o, min_issue_o)
  `STAGE_VALID(fet_issue_o, go_issue)
  `STAGE_VALID(cod_issue_o, fet_issue_o)
  `STAGE_VALID(loo_issue_o, cod_issue_o)
  `STAGE_VALID(upd_issue_o, loo_issue_o)
  `STAGE_VALID(cod_init_o, fet_init)
  `STAGE_VALID(loo_init_o, cod_init_o)
  `STAGE_VALID(upd_init_o, loo_init_o)
  `STAGE_VALID(rdy_init_o, upd_init_o)
  `STAGE_VALID(row_init_o, rdy_init_o)
  `STAGE_VALID(cod_scrub_o, fet_scrub)
  `STAGE_VALID(loo_scrub_o, cod_scrub_o)
  `STAGE_VALID(upd_scrub_o, loo_scrub_o)
  `STAGE_VALID(rdy_scrub_o, upd_scrub_o)
  `STAGE_VALID(row_scrub_o, rdy_scrub_o)
  `STAGE_VALID(cod_come_o, fet_come)
  `STAGE_VALID(loo_come_o, cod_come_o)
  `STAGE_VALID(cod_count, fet_count)
  `STAGE_VALID(loo_count, cod_count)
  `STAGE_VALID(upd_count_o, loo_count)

  // ---------------------------------------------------------------- whom it concerns
  logic min_in_slot, cho_in_slot, fet_in_slot, cod_in_slot, loo_in_slot, upd_in_slot, rdy_in_slot;
  logic [IdW-1:0] min_id;
  logic [CtxBits-1:0] min_ctx, fet_ctx, cod_ctx, loo_ctx, upd_ctx;
  `STAGE(rel_in_slot_o, sel_in_slot_i)
  `STAGE(min_in_slot, rel_in_slot_o)
  `STAGE(cho_in_slot, min_in_slot)
  `STAGE(fet_in_slot, cho_in_slot)
  `STAGE(cod_in_slot, fet_in_slot)
  `STAGE(loo_in_slot, cod_in_slot)
  `STAGE(upd_in_slot, loo_in_slot)
  `STAGE(rdy_in_slot, upd_in_slot)
  `STAGE(row_in_slot_o, rdy_in_slot)
  `STAGE(rel_ctx_o, sel_ctx_i)
  `STAGE(min_ctx, rel_ctx_o)
  `STAGE(cho_ctx_o, min_ctx)
  `STAGE(fet_ctx, cho_ctx_o)
  `STAGE(cod_ctx, fet_ctx)
  `STAGE(loo_ctx, cod_ctx)
  `STAGE(upd_ctx, loo_ctx)
  `STAGE(rdy_ctx_o, upd_ctx)
  `STAGE(row_ctx_o, rdy_ctx_o)
  `STAGE(rel_id_o, sel_id_i)
  `STAGE(min_id, rel_id_o)
  `STAGE(cho_id_o, min_id)
  `STAGE(fet_id_o, go_id_i)
  `STAGE(cod_id_o, fet_id_o)
  `STAGE(loo_id_o, cod_id_o)
  `STAGE(upd_id_o, loo_id_o)
  `STAGE(rdy_id_o, upd_id_o)
  `STAGE(row_id_o, rdy_id_o)

  // ---------------------------------------------------------------- what it brings
  logic [ArgW-1:0]   rel_arg, min_arg, fet_arg;
  logic [TimeW-1:0]  fet_at;
  logic [ExtraW-1:0] rel_extra, min_extra, cho_extra, fet_extra, cod_extra;
  logic              fet_late, cod_late, loo_late;
  logic [2:0]        fet_late_bar, cod_late_bar, loo_late_bar;
  logic [31:0]       fet_after, loo_after;
  `STAGE(rel_arg, sel_arg_i)
  `STAGE(min_arg, rel_arg)
  `STAGE(cho_arg_o, min_arg)
  `STAGE(fet_arg, go_arg_i)
  `STAGE(cod_arg_o, fet_arg)
  `STAGE(loo_arg_o, cod_arg_o)
  `STAGE(upd_arg_o, loo_arg_o)
  `STAGE(rdy_arg_o, upd_arg_o)
  `STAGE(row_arg_o, rdy_arg_o)
  // the time from choose on is that of sm_choose
  `STAGE(rel_at_o, sel_at_i)
  `STAGE(fet_at, go_at_i)
  `STAGE(cod_at_o, fet_at)
  `STAGE(loo_at_o, cod_at_o)
  `STAGE(upd_at_o, loo_at_o)
  `STAGE(rdy_at_o, upd_at_o)
  `STAGE(row_at_o, rdy_at_o)
  `STAGE(rel_extra, sel_extra_i)
  `STAGE(min_extra, rel_extra)
  `STAGE(cho_extra, min_extra)
  `STAGE(fet_extra, cho_extra)
  `STAGE(cod_extra, fet_extra)
  `STAGE(loo_extra_o, cod_extra)
  `STAGE(upd_extra_o, loo_extra_o)
  `STAGE(fet_late, go_late_i)
  `STAGE(cod_late, fet_late)
  `STAGE(loo_late, cod_late)
  `STAGE(upd_late_o, loo_late)
  `STAGE(fet_late_bar, go_late_bar_i)
  `STAGE(cod_late_bar, fet_late_bar)
  `STAGE(loo_late_bar, cod_late_bar)
  `STAGE(upd_late_bar_o, loo_late_bar)
  `STAGE(fet_after, go_after_i)
  `STAGE(cod_after_o, fet_after)
  `STAGE(loo_after, cod_after_o)
  `STAGE(upd_after_o, loo_after)
endmodule
