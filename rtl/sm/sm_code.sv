/// The sub-cores' instruction caches (L0), each with its stream buffer: whether an instruction's
/// code is there.
///
/// It is looked at when a warp could issue the first instruction of another line than its last one
/// and has not looked yet. The buffer has a base, the line that came into the cache last, and the
/// lines behind it, there or on their way from the SM's cache (sm_shared_code.sv); a line that is
/// in neither becomes the base. A warp whose code has not come waits for the base, and looks again.
/// Until then its lane of the sub-core's row is stopped, its pipe the one that is always free.
/// Latency: stage code gives the set's number, stage look tells. Throughput: a visit each clock.
/// Rules: loo_issue_i only when nothing else keeps the warp from issuing.
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE
module sm_code #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic [2:0]          ways_i,        /// parameters: ways in use, 0: all code is there
  input  logic                sets_i,        /// 64 sets, not 32
  input  logic [3:0]          prefetch_i,    /// lines that the buffer keeps
  input  logic                scrub_all_i,
  input  logic [TimeW-1:0]    scrub_floor_i,

  // stage code
  input  logic [RowW-1:0]     cod_row_i,     /// the sub-core visited
  input  logic                cod_come_i, cod_scrub_i,  /// lines come; times are scrubbed
  input  logic                cod_init_i,    /// memories are initialised:
  input  logic [5:0]          cod_init_set_i,  /// this set
  input  logic                cod_wanted_i,  /// an instruction whose code was not looked for
  input  logic [LineNoW-1:0]  cod_line_i,    /// its line
  // stage look
  input  logic                loo_issue_i,   /// a visit that may issue
  input  logic                loo_init_i, loo_scrub_i,
  input  logic [WarpBits-1:0] loo_warp_i,
  input  logic [TimeW-1:0]    loo_at_i,
  input  logic                loo_come_i,    /// lines come:
  input  logic [CtaBits-1:0]  loo_epoch_i,   /// for this stream
  input  logic [LineNoW-1:0]  loo_first_i,   /// from this one on,
  input  logic [8:0]          loo_mask_i,    /// these
  input  logic                loo_conflict_i,  /// the warp cannot issue anyway
  input  logic                loo_start_i,   /// the launch has fetched the line,
  input  logic                loo_launched_i,  /// and the SM's cache has those behind it
  output logic                loo_looked_o,  /// the code was looked for,
  output logic                loo_there_o,   /// and is there
  output logic                loo_late_o,    /// it was not there, or comes just now: no issue
  // stage update: what follows
  input  logic [RowW-1:0]     upd_row_i,
  input  logic [WarpBits-1:0] upd_warp_i,
  input  logic                upd_init_i,
  output logic                upd_ask_o,     /// the SM's cache is asked
  output logic [CtaBits+LineNoW+6:0] upd_ask_word_o,  /// ask_t
  output logic                upd_miss_o,    /// for the line itself, which a warp waits for
  output logic                upd_release_o, /// the base has come: warps that wait may go on
  output logic [WarpsPerSub-1:0] upd_await_o,  /// warps that wait for their code
  output logic                upd_wait_o,    /// the visited warp waits now,
  output logic [TimeW:0]      upd_wait_at_o, /// for the base, there from; never: not known yet
  output logic                upd_keep_o     /// it did before, and the visit does not change that
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
`include "scrub_times.svh"

  logic [CodeW-1:0]       code_mem [MaxSm*SubPerSm << CodeBits];  // {next way, ways}
  logic [StreamW-1:0]     stream_mem [MaxSm*SubPerSm];
  logic [WarpsPerSub-1:0] await_mem [MaxSm*SubPerSm];   // warps that wait for their code

  // ---------------------------------------------------------------- stage code
  logic                cod_wanted, loo_wanted, cod_buffer;
  logic [CodeBits-1:0] cod_set, loo_set, upd_set;
  line_no_t            loo_line;
  logic [CodeW-1:0]    loo_ways;
  stream_t             loo_stream;
  logic [WarpsPerSub-1:0] loo_await;
  assign cod_wanted = cod_wanted_i && ways_i != '0;
  assign cod_buffer = cod_wanted || cod_come_i || cod_scrub_i;
  assign cod_set    = cod_init_i ? cod_init_set_i
                      : cod_line_i[CodeBits-1:0] & {sets_i, {(CodeBits-1){1'b1}}};
  `STAGE(loo_wanted, cod_wanted)
  `STAGE(loo_line, cod_line_i)
  `STAGE(loo_set, cod_set)
  `STAGE_KEEP(loo_ways, code_mem[{cod_row_i, cod_set}], cod_wanted)
  `STAGE_KEEP(loo_stream, stream_mem[cod_row_i], cod_buffer)
  `STAGE(loo_await, await_mem[cod_row_i])

  // ---------------------------------------------------------------- stage look
  stream_t          loo_new;
  logic             loo_hit, loo_base_there, loo_move, loo_near, loo_all;
  logic             loo_stream_we, loo_release;
  line_no_t         loo_far;
  ask_t             loo_ask;
  logic             loo_ask_we;

  /// how far behind the base the line of an entry of the buffer lies, 1 to CodeAhead
  function automatic logic [3:0] entry_behind(input logic [2:0] entry, input logic [2:0] base);
    logic [2:0] n;
    n = entry - base;
    entry_behind = {n == '0, n};
  endfunction

  assign loo_looked_o = loo_issue_i && loo_wanted && !loo_conflict_i;

  always_comb begin : hit
    loo_hit = 1'b0;
    if (loo_looked_o)
      for (int w = 0; w < CodeWays; w++)
        if (w < 32'(ways_i)
            && loo_ways[w*CodeTagW +: CodeTagW] == {1'b1, loo_line[LineNoW-1:CodeBits-1]})
          loo_hit = 1'b1;
  end

  // The line becomes the base, and enters the cache, if it is in neither.
  assign loo_all = loo_start_i && loo_launched_i;  // its lines have come with the launch
  bound_t loo_entry;                         // the line in the buffer,
  logic   loo_soon;                          // which is there, as the base that it becomes
  always_comb begin : base
    loo_base_there = 1'bx;
    loo_entry      = 'x;
    loo_soon       = 1'bx;
    loo_move       = 1'b0;
    loo_far        = 'x;
    loo_near       = 1'bx;
    if (loo_looked_o) begin
      loo_base_there = due(loo_stream.at, loo_at_i + 1'b1);
      loo_move       = loo_base_there && !loo_hit && loo_line != loo_stream.base;
      loo_far        = loo_line - loo_stream.base;
      loo_near       = loo_far <= LineNoW'(prefetch_i);
      if (loo_move) begin
        loo_entry = loo_stream.ahead[loo_line[2:0]*AheadW +: AheadW];
        loo_soon  = loo_start_i || (loo_near && due(loo_entry, loo_at_i + 1'b1));
      end
    end
  end

  always_comb begin : buffer
    line_no_t           far, line;
    logic [3:0]         behind;
    logic [CodeAhead:0] mask;
    loo_new       = 'x;
    loo_stream_we = 1'b0;
    loo_release   = 1'b0;
    loo_ask       = 'x;
    loo_ask_we    = 1'b0;
    far    = 'x;
    line   = 'x;
    behind = 'x;
    mask   = 'x;
    if (loo_move) begin
      loo_new       = loo_stream;
      loo_stream_we = 1'b1;
      loo_new.base  = loo_line;
      loo_new.epoch = loo_stream.epoch + CtaBits'(!loo_near);
      loo_new.at    = loo_near ? loo_entry : Never;
      for (int e = 0; e < CodeAhead; e++) begin
        behind = entry_behind(3'(e), loo_line[2:0]);
        if (!loo_near || 5'(loo_far[3:0]) + 5'(behind) > 5'(prefetch_i))
          loo_new.ahead[e*AheadW +: AheadW] = Never;
        if (loo_all && behind <= prefetch_i)
          loo_new.ahead[e*AheadW +: AheadW] = {1'b0, loo_at_i};
      end
      if (loo_start_i) loo_new.at = {1'b0, loo_at_i};
      loo_ask.epoch    = loo_new.epoch;
      loo_ask.restart  = !loo_near || !loo_stream.told;
      loo_ask.demand   = !loo_soon;
      loo_ask.launched = loo_launched_i;
      loo_ask.fresh    = loo_all ? 4'd0 : loo_near ? loo_far[3:0] : prefetch_i;
      loo_ask.base     = loo_line;
      loo_ask_we       = loo_ask.demand || loo_ask.fresh != '0;
      loo_new.told     = loo_ask_we || (loo_near && loo_stream.told);
    end else if (loo_come_i && loo_epoch_i == loo_stream.epoch) begin
      // Lines come, by a micro-operation: from a line on those of a mask. With the base all warps
      // that wait are let go.
      loo_new       = loo_stream;
      loo_stream_we = 1'b1;
      line = loo_first_i;
      mask = loo_mask_i;
      far  = loo_stream.base - line;
      if (loo_stream.at[TimeW] && far <= LineNoW'(CodeAhead) && mask[far[3:0]]) begin
        loo_new.at  = {1'b0, loo_at_i};
        loo_release = loo_await != '0;
      end
      for (int e = 0; e < CodeAhead; e++) begin
        behind = entry_behind(3'(e), loo_stream.base[2:0]);
        far    = loo_stream.base + LineNoW'(behind) - line;
        if (loo_stream.ahead[e*AheadW + TimeW] && behind <= prefetch_i
            && far <= LineNoW'(CodeAhead) && mask[far[3:0]])
          loo_new.ahead[e*AheadW +: AheadW] = {1'b0, loo_at_i};
      end
    end else if (loo_scrub_i) begin
      loo_new       = loo_stream;
      loo_stream_we = 1'b1;
      loo_new.at[TimeW-1:0] = fresh(loo_stream.at[TimeW-1:0], scrub_all_i, scrub_floor_i);
      for (int e = 0; e < CodeAhead; e++)
        loo_new.ahead[e*AheadW +: TimeW]
            = fresh(loo_stream.ahead[e*AheadW +: TimeW], scrub_all_i, scrub_floor_i);
    end else if (loo_init_i) begin
      loo_stream_we = 1'b1;
      loo_new       = '0;
      loo_new.base  = LineNoW'(-1 - CodeAhead);
      loo_new.ahead = {CodeAhead{Never}};
      loo_ask       = '0;
    end
  end

  // A warp whose code has just come, after it waited, issues at its next visit.
  logic   loo_await_we;
  bound_t loo_wait_at;
  always_comb begin : there
    loo_there_o = 1'bx;
    loo_late_o  = 1'b0;
    loo_wait_at = 'x;
    if (loo_looked_o) begin
      loo_there_o = loo_base_there || (loo_hit && loo_line != loo_stream.base) || loo_start_i;
      loo_wait_at = loo_stream.at;
      if (loo_move) begin
        loo_there_o = loo_soon;
        loo_wait_at = loo_new.at;
      end
      loo_late_o = !loo_there_o || loo_await[loo_warp_i];
    end
  end
  assign loo_await_we = loo_late_o;

  // ---------------------------------------------------------------- stage update: writes
  stream_t          upd_new;
  logic [CodeW-1:0] upd_ways, upd_word;
  /* verilator lint_off UNUSEDSIGNAL */     // without the set's number
  line_no_t         upd_line;
  /* verilator lint_on UNUSEDSIGNAL */
  logic             upd_move, upd_stream_we, upd_await_we, upd_there, upd_ask_we, upd_release;
  logic [WarpsPerSub-1:0] upd_await;
  ask_t             upd_ask;
  `STAGE(upd_new, loo_new)
  `STAGE(upd_ways, loo_ways)
  `STAGE(upd_line, loo_line)
  `STAGE(upd_set, loo_set)
  `STAGE(upd_move, loo_move)
  `STAGE(upd_stream_we, loo_stream_we)
  `STAGE(upd_await_we, loo_await_we)
  `STAGE(upd_there, loo_there_o)
  `STAGE(upd_ask_we, loo_ask_we)
  `STAGE(upd_ask, loo_ask)
  `STAGE(upd_release, loo_release)
  `STAGE(upd_await, loo_await)
  `STAGE(upd_wait_at_o, loo_wait_at)
  assign upd_ask_o      = upd_ask_we;
  assign upd_ask_word_o = upd_ask;
  assign upd_miss_o     = upd_ask_we && upd_ask.demand;
  assign upd_release_o  = upd_release;
  assign upd_await_o    = upd_await;
  assign upd_wait_o     = upd_await_we && !upd_there;
  assign upd_keep_o     = upd_await[upd_warp_i] && !upd_await_we && !upd_init_i;

  // The line takes the way at the set's pointer, which moves on.
  always_comb begin : insert
    logic [1:0] way;
    upd_word = '0;
    way      = 'x;
    if (upd_move) begin
      upd_word = upd_ways;
      way = upd_ways[CodeWays*CodeTagW +: 2];
      for (int w = 0; w < CodeWays; w++)
        if (32'(way) == w)
          upd_word[w*CodeTagW +: CodeTagW] = {1'b1, upd_line[LineNoW-1:CodeBits-1]};
      upd_word[CodeWays*CodeTagW +: 2] = {1'b0, way} + 3'd1 >= ways_i ? 2'd0 : way + 2'd1;
    end
  end

  always_ff @(posedge clk_i) begin : write
    logic [WarpsPerSub-1:0] await;
    if (upd_move || upd_init_i)
      `STORE(code_mem[{upd_row_i, upd_set}], upd_word);
    if (upd_stream_we) `STORE(stream_mem[upd_row_i], upd_new);
    if (upd_await_we || upd_init_i) begin
      await = upd_init_i ? '0 : upd_await;
      await[upd_warp_i] = upd_wait_o;
      `STORE(await_mem[upd_row_i], await);
    end
  end
endmodule
