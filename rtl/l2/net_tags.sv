/// Sets of all slices: which lines they hold, which sectors of these, and what waits for more.
///
/// A message that looks for its line gets what the set has of it, and what the set will be when
/// it is dealt with: with commit_i that is written. A request that finds no way with its line
/// takes one that is empty; else the next one, from a pointer of the set on, without a sector
/// in flight. Dirty sectors leave with their line; or, when more ways would be dirty than may
/// be, out of another way, whose line stays. A way with sectors in flight is passed over: what
/// an atomic has made dirty may be among them. So is one that is pinned: a locked write has pinned
/// it, and no command processor has asked for its line since.
/// Steps: quotient and row (the set's number), read, match (all ways), choose (one), line (what
/// it holds; the dirty way that is too many), out (what leaves, what is written).
/// Latency: eight clocks from look_i to found_o, none without Pipelined. Throughput: a message
/// at a time, a write each clock.
/// Rules: what describes a message does not change from look_i to done_i (without Pipelined: to
/// commit_i). commit_i comes once, with found_o or later; fill's walked_i with it or later.
/// Flush reads and clears only while there is no message.
`include "heddle_macros.svh"
`include "cell/stage.svh"
`include "heddle_assert.svh"
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
/* verilator lint_off BLKSEQ */  // values inside one clock
module net_tags #(
  parameter int NodeBits  = 16,
  parameter int RowBits   = 15,               // log2 of the sets
  parameter bit Pipelined = `HEDDLE_PIPELINED
) (
  input  logic                clk_i,
  /* verilator lint_off UNUSEDSIGNAL */       // Pipelined alone
  input  logic                rst_ni,

  // parameters
  input  logic [9:0]          sets_i,         /// of a slice
  input  logic [20:0]         set_inv_i,      /// net_reciprocal.sv
  input  logic [1:0]          interleave_i,   /// lines together in a slice: 1, 2, 4 as 0, 1, 2
  input  logic [1:0]          fetch_i,        /// sectors fetched together: 1, 2, 4 as 0, 1, 2
  input  logic [3:0]          dirty_ways_i,   /// of a set, at most; 0: all
  input  logic [3:0]          pinned_ways_i,  /// of a set, at most

  // the message
  input  logic                runs_i,         /// net_fetch.sv
  input  logic                look_i,         /// Pipelined for one clock, else all the time
  input  logic [2:0]          act_i,          /// act_e
  input  logic                copy_i,         /// it is a line of FillL2
  input  logic                fill_i,         /// sectors come from memory, not from home
  input  logic [6:0]          slice_i,
  input  logic [31:0]         line_i,
  input  logic [1:0]          kind_i,         /// enum req
  input  logic [3:0]          sectors_i,      /// that it touches,
  input  logic [3:0]          full_i,         /// of which every byte is written
  input  logic [3:0]          come_i,         /// that come
  input  logic                home_i,
  input  logic                copies_i,       /// the other partition keeps what it gets
  input  logic [NodeBits-1:0] node_i,         /// joins those that wait
  input  logic                locked_i,       /// a write that pins its way
  input  logic                unpins_i,       /// a request that ends the pin of its way

  // what is found
  output logic                found_o,        /// from now on, to done_i
  output logic                hit_o,          /// a way has the line
  output logic                no_way_o,       /// none, and none can take it
  output logic [3:0]          present_o,      /// sectors that are here,
  output logic [3:0]          missing_o,      /// that are not,
  output logic [3:0]          merged_o,       /// of these: under way already,
  output logic [3:0]          asked_o,        /// asked for now (of a fetch, others too)
  output logic                leaves_o,       /// dirty sectors leave: of this line, ...
  output logic [31:0]         out_line_o,
  output logic [3:0]          out_dirty_o,
  output logic [3:0]          out_full_o,     /// of which every byte is written
  output logic                copied_o,       /// the other partition may have a copy
  output logic                too_many_o,     /// too many ways wait for the other partition
  output logic                waits_o,        /// the request will wait
  output logic [1:0]          pin_o,          /// enum pin: what commit_i does to the way's pin
  output logic [2*NodeBits:0] waiting_o,      /// what waits in the set already

  // what becomes of it
  input  logic                commit_i,
  input  logic                walked_i,       /// after sectors have come, these go on waiting
  input  logic [2*NodeBits:0] stay_i,
  input  logic                done_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // flush; Pipelined each for one clock, pick two clocks behind read at least
  input  logic                flush_read_i,   /// this set
  input  logic [RowBits-1:0]  flush_row_i,
  output logic [15:0]         flush_dirty_o,  /// its dirty ways
  input  logic                flush_pick_i,   /// out_* show this way
  input  logic [3:0]          flush_way_i,
  input  logic                flush_clear_i,  /// the set is empty from now on
  input  logic                flush_unpin_i   /// with it or alone: no way is pinned
);
`include "heddle_import.svh"
  localparam int TimeW = 32;
`include "heddle_time.svh"
`include "net_types.svh"
`include "net_where.svh"
  localparam int WayW       = 17;             // {copied, full, in flight, dirty, valid}: but for
                                              // the first, a bit of each sector
  localparam int NumRows    = 1 << RowBits;
  localparam int MaxFetches = 8;              // ways of a set that wait for the other partition;
                                              // the others can be freed by memory alone
  typedef logic [RowBits-1:0] row_t;
  typedef logic [NumWays-1:0] ways_t;

  // Beside the ways of a set.
  typedef struct packed {
    list_t waiting;                           // requests that wait for memory, in order of service
    way_t  pointer;                           // replaced next
    logic [3:0] fetches;                      // ways that wait for the other partition
  } set_t;
  localparam int SetW = ListW + WayBits + 4;

  logic [NumWays*TagW-1:0] tag_mem [NumRows];
  logic [NumWays*WayW-1:0] line_mem [NumRows];
  logic [SetW-1:0]         set_mem [NumRows];
  ways_t                   pin_mem [NumRows]; // pinned ways; apart, so that they end alone
  row_t                    walk_row_q;        // of the set in which sectors have come: row, ...
  way_t                    walk_pointer_q;    // ... what is beside its list
  logic [3:0]              walk_fetches_q;

  logic serves, wanted;
  always_comb begin : message
    if (`WANTED(runs_i)) begin
      serves = act_i == ActServe;
      wanted = look_i && act_i != ActWritten;
    end
  end

  // ---------------------------------------------------------------- quotient, row
  /// what of a line decides its set: this modulo the number of sets
  function automatic logic [9:0] row_fold(input logic [31:0] line);
    logic [25:0] high;
    high     = 26'(line >> 6 >> interleave_i);
    row_fold = high[9:0] ^ high[19:10] ^ {4'd0, high[25:20]};
  endfunction

  // the row of a set is slice * sets + the remainder
  logic       quotient_valid, row_valid, reads, found_read;
  logic [9:0] quotient_d, quotient;
  row_t       row_d, set_row, row;
  always_comb begin : divide
    if (`WANTED(wanted))
      quotient_d = 10'((32'(row_fold(line_i)) * 32'(set_inv_i)) >> (SetInvW - 1));
  end
  `STAGE(quotient, quotient_d)
  `STAGE_VALID(quotient_valid, Pipelined ? look_i : wanted)
  always_comb begin : multiply
    if (`WANTED(quotient_valid))
      row_d = (RowBits'(slice_i) - RowBits'(quotient)) * RowBits'(sets_i)
              + RowBits'(row_fold(line_i));
  end
  `STAGE(set_row, row_d)
  `STAGE_VALID(row_valid, quotient_valid)

  // ---------------------------------------------------------------- read
  logic [NumWays*TagW-1:0] tags;
  logic [NumWays*WayW-1:0] lines;
  logic [SetW-1:0]         set_word;
  ways_t                   pinned;
  set_t                    set;
  assign reads = row_valid || flush_read_i;
  always_comb begin : which_set
    if (`WANTED(reads)) row = flush_read_i ? flush_row_i : set_row;
  end
  `STAGE_KEEP(tags, tag_mem[row], reads)
  `STAGE_KEEP(lines, line_mem[row], reads)
  `STAGE_KEEP(set_word, set_mem[row], reads)
  `STAGE_KEEP(pinned, pin_mem[row], reads)
  `STAGE_VALID(found_read, row_valid)
  assign set       = set_word;
  assign waiting_o = set.waiting;

  // ---------------------------------------------------------------- match
  logic  found_match;
  ways_t hits, empty, movable, dirty, hits_d, empty_d, movable_d, dirty_d;
  logic  may_pin, may_pin_d;                  // another way
  always_comb begin : match
    if (`WANTED(reads)) begin
      for (int w = 0; w < NumWays; w++) begin
        movable_d[w] = lines[w*WayW + 8 +: 4] == '0 && !pinned[w];
        dirty_d[w]   = lines[w*WayW + 4 +: 4] != '0;
        empty_d[w]   = (lines[w*WayW +: 4] | lines[w*WayW + 8 +: 4]) == '0;
        hits_d[w]    = tags[w*TagW +: TagW] == line_i && !empty_d[w];
      end
      if (`WANTED(locked_i)) may_pin_d = number_of(pinned) < (WayBits+1)'(pinned_ways_i);
    end
  end
  `STAGE(hits, hits_d)
  `STAGE(empty, empty_d)
  `STAGE(movable, movable_d)
  `STAGE(dirty, dirty_d)
  `STAGE(may_pin, may_pin_d)
  `STAGE_VALID(found_match, found_read)
  assign flush_dirty_o = dirty;

  /// ways that are set
  function automatic logic [WayBits:0] number_of(input ways_t ways);
    number_of = '0;
    for (int w = 0; w < NumWays; w += 4)
      number_of = number_of + (WayBits+1)'(count4(ways[w +: 4]));
  endfunction

  // ---------------------------------------------------------------- choose
  logic  found_choose, hit_d, hit, turn_d, turn, no_way_d, no_way;
  ways_t behind;
  way_t  way, way_d;
  always_comb begin : choose
    if (`WANTED(found_match)) begin
      behind = hits;
      if (serves && hits == '0) begin
        behind = movable & ({NumWays{1'b1}} << set.pointer);
        if (behind == '0) behind = movable;
        if (empty != '0) behind = empty;
      end
      way_d    = WayBits'(lowest32(32'(behind)));
      hit_d    = hits != '0;
      turn_d   = empty == '0;
      no_way_d = serves && hits == '0 && empty == '0 && movable == '0;
    end
  end
  `STAGE(way, way_d)
  `STAGE(hit, hit_d)
  `STAGE(turn, turn_d)
  `STAGE(no_way, no_way_d)
  `STAGE_VALID(found_choose, found_match)
  assign hit_o    = hit;
  assign no_way_o = no_way;

  // ---------------------------------------------------------------- line
  logic            found_line, over, over_d, way_pinned, way_pinned_d;
  way_t            over_way, over_way_d;
  ways_t           others, cleanable, later;
  logic [WayW-1:0] way_line_d, way_line;
  logic [WayBits:0] num_others;
  always_comb begin : too_many_dirty
    if (`WANTED(found_choose)) begin
      way_line_d   = lines[way*WayW +: WayW];
      way_pinned_d = pinned[way];
      over_d       = 1'b0;
      if (`WANTED(kind_i != ReqRead && dirty_ways_i != '0)) begin
        others     = dirty & ~(NumWays'(1) << way);
        cleanable  = others & movable;
        later      = cleanable & ({NumWays{1'b1}} << set.pointer);
        if (later == '0) later = cleanable;
        num_others = number_of(others);
        over_d     = serves && !copy_i && kind_i != ReqRead && dirty_ways_i != '0
                     && cleanable != '0 && num_others >= (WayBits+1)'(dirty_ways_i);
        over_way_d = WayBits'(lowest32(32'(later)));
      end
    end
  end
  `STAGE(over, over_d)
  `STAGE(over_way, over_way_d)
  `STAGE(way_line, way_line_d)
  `STAGE(way_pinned, way_pinned_d)
  `STAGE_VALID(found_line, found_choose)

  // ---------------------------------------------------------------- out
  // what leaves: of a way without a sector in flight every dirty sector is valid
  logic            leaves, shows, found;
  way_t            out_way;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [WayW-1:0] out_word;
  logic [TagW+7:0] out_d, out;
  logic [WayW-1:0] after_d, after;            // the way when it is written
  logic [3:0] valid, flight, fulls, dirties, present, missing, merged, asked;
  logic       copied, fetches, fetched_d, waits_d, cleans_d, own_pin;
  logic [1:0] pin_d;
  always_comb begin : goes
    if (`WANTED(found_line)) leaves = serves && !hit && way_line[7:4] != '0;
    if (`WANTED(runs_i || flush_read_i))
      shows = flush_pick_i || (found_line && (leaves || over));
    if (`WANTED(shows)) begin
      out_way  = flush_pick_i ? flush_way_i : leaves ? way : over_way;
      out_word = lines[out_way*WayW +: WayW];
      out_d    = {tags[out_way*TagW +: TagW], out_word[15:12] & out_word[7:4], out_word[7:4]};
    end
  end
  `STAGE_KEEP(out, out_d, shows)
  assign {out_line_o, out_full_o, out_dirty_o} = out;

  /// the sectors that come when these are fetched from memory: aligned pieces of the line
  function automatic logic [3:0] pieces(input logic [3:0] sectors);
    case (fetch_i)
      2'd0:    pieces = sectors;
      2'd1:    pieces = {{2{|sectors[3:2]}}, {2{|sectors[1:0]}}};
      default: pieces = {4{|sectors}};
    endcase
  endfunction

  always_comb begin : sectors
    if (`WANTED(found_line)) begin
      {copied, fulls, flight, dirties, valid} = hit ? way_line : '0;
      present = sectors_i & valid;
      missing = sectors_i & ~valid;
      merged  = kind_i == ReqWrite ? 4'd0 : missing & flight;
      asked   = kind_i == ReqWrite ? 4'd0 : missing & ~flight;
      if (home_i) asked = pieces(asked) & ~valid & ~flight;
      fetches = serves && !copy_i && !home_i && asked != '0 && flight == '0;
      cleans_d  = over && !leaves;
      // one way less waits
      fetched_d = act_i == ActFill && !fill_i && (flight & ~come_i) == '0;
      waits_d   = serves && !copy_i && kind_i != ReqWrite && missing != '0;
      own_pin   = hit && way_pinned;
      pin_d     = PinNone;
      if (serves && !copy_i) begin
        if (locked_i && !own_pin) pin_d = may_pin ? PinBegins : PinRefused;
        if (unpins_i && own_pin)  pin_d = PinEnds;
      end
      case (act_i)
        ActServe: after_d = copy_i ? {1'b0, 4'hf, flight, 4'h0, 4'hf}
                            : {copies_i || (copied && kind_i == ReqRead),
                               fulls | (kind_i == ReqWrite ? full_i & sectors_i : 4'd0),
                               flight | asked, dirties | (kind_i != ReqRead ? sectors_i : 4'd0),
                               valid | (kind_i == ReqWrite ? sectors_i : 4'd0)};
        ActFill:  after_d = {copied, fulls | come_i, flight & ~come_i, dirties, valid | come_i};
        default:  after_d = {5'd0, flight, 8'd0};
      endcase
    end
  end
  `STAGE(after, after_d)
  `STAGE(present_o, present)
  `STAGE(missing_o, missing)
  `STAGE(merged_o, merged)
  `STAGE(asked_o, asked)
  `STAGE(copied_o, copied)
  `STAGE(pin_o, pin_d)

  logic cleans, fetches_one, fetched, waits, leaves_line;
  `STAGE(leaves_line, leaves)
  `STAGE(cleans, cleans_d)
  `STAGE(fetches_one, fetches)
  `STAGE(fetched, fetched_d)
  `STAGE(waits, waits_d)
  assign waits_o    = waits;
  always_comb begin : both
    if (`WANTED(runs_i)) begin
      leaves_o   = leaves_line || cleans;
      too_many_o = fetches_one && set.fetches == 4'(MaxFetches);
    end
  end

  // ---------------------------------------------------------------- found
  logic found_out;
  `STAGE_VALID(found_out, found_line)
  if (Pipelined) begin : gen_found
    always_ff @(posedge clk_i) found <= rst_ni && (found_out || (found && !done_i));
  end else begin : gen_finds
    assign found = look_i;
  end
  assign found_o = found;

  // ---------------------------------------------------------------- writes
  // Whole words are written, made of what was read: sixteen lanes with an enable each are as many
  // write ports to yosys, which then takes ten times as long.
  logic [NumWays*TagW-1:0] tags_d;
  logic [NumWays*WayW-1:0] lines_d;
  set_t                    set_d;
  ways_t                   pins_d;
  list_t                   stay;
  row_t                    to;
  logic                    set_we;
  assign stay = stay_i;

  always_ff @(posedge clk_i) begin : writes
    if (commit_i || walked_i || flush_clear_i || flush_unpin_i) write();
  end

  task automatic write();
    if (commit_i && serves && !hit) begin
      tags_d = tags;
      for (int w = 0; w < NumWays; w++)
        if (32'(way) == w) tags_d[w*TagW +: TagW] = line_i;
      `STORE(tag_mem[set_row], tags_d);
    end
    to = flush_unpin_i ? flush_row_i : set_row;
    if ((commit_i && (hit || act_i != ActDrop)) || flush_clear_i) begin
      lines_d = lines;
      for (int w = 0; w < NumWays; w++)
        if (32'(way) == w) lines_d[w*WayW +: WayW] = after;
        else if (cleans && 32'(over_way) == w) lines_d[w*WayW + 4 +: 4] = '0;
      if (flush_clear_i) lines_d = '0;
      `STORE(line_mem[to], lines_d);
    end
    if ((commit_i && pin_o[0]) || flush_unpin_i) begin
      for (int w = 0; w < NumWays; w++)
        pins_d[w] = !flush_unpin_i && (32'(way) == w ? pin_o == PinBegins : pinned[w]);
      `STORE(pin_mem[to], pins_d);
    end
    set_we = flush_clear_i || walked_i;
    set_d  = set;
    if (walked_i) begin
      set_d.waiting = stay;
      set_d.pointer = commit_i ? set.pointer : walk_pointer_q;
      set_d.fetches = commit_i ? set.fetches - 4'(fetched) : walk_fetches_q;
      to            = commit_i ? set_row : walk_row_q;
    end else if (commit_i && serves) begin
      set_we        = (!hit && turn) || fetches_one || waits;
      set_d.fetches = set.fetches + 4'(fetches_one);
      if (!hit && turn) set_d.pointer = way + 1'b1;
      if (waits) begin
        if (!set.waiting.some) set_d.waiting.head = node_i;
        set_d.waiting.some = 1'b1;
        set_d.waiting.tail = node_i;
      end
    end
    if (flush_clear_i) set_d = '0;
    if (set_we) `STORE(set_mem[to], set_d);
    if (commit_i) begin
      walk_row_q     <= set_row;
      walk_pointer_q <= set.pointer;
      walk_fetches_q <= set.fetches - 4'(fetched);
    end
  endtask
`ifdef HEDDLE_ASSERT
`include "tags_rules.svh"
`endif
endmodule
