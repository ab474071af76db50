// Command port: parameters, replies of memory, messages of other instances, flush and fill.
//
// Commands come only while the engine rests. One clock each, Remote one per payload word; FlushL2
// and FillL2 go on in net_flush.svh.
task automatic reset_command();
  beat_valid_q      = 1'b0;
  where_valid_q     = 1'b0;
  cmd_ready_o       <= 1'b0;
  set_num_slices(8'(DefaultNumSlices));
  instances_q       = 8'(DefaultInstances);
  instance_q        = 8'(DefaultInstance);
  sets_q            = 10'(DefaultL2Sets);
  fold_q            = 1'(DefaultHash);
  atomic_interval_q = 8'(DefaultAtomicInterval);
  net_request_q     = TimeW'(DefaultNetRequest);
  net_reply_q       = TimeW'(DefaultNetReply);
  l2_latency_q      = TimeW'(DefaultL2Latency);
  l2_miss_q         = TimeW'(DefaultL2Miss);
  l2_fill_q         = TimeW'(DefaultL2Fill);
  two_q             = DefaultPartitions == 2;
  net_cross_q       = TimeW'(DefaultNetCross);
  flit_shift_q      = 2'(DefaultFlitSectors >> 1);
  flit_time_q       = 16'(DefaultFlitTime);
  entries_q         = 10'(DefaultDramEntries);
  fetch_q           = 2'(DefaultL2Fetch >> 1);
  dirty_ways_q      = WayBits'(DefaultL2DirtyWays);
endtask

/// the power of two in a number of slices, of which this is all but the highest bit
function automatic logic [2:0] twos_of(input logic [6:0] slices);
  twos_of = 3'(lowest32({25'd1, slices}));
endfunction

task automatic set_num_slices(input logic [7:0] slices);
  logic [2:0] twos;
  twos = twos_of(slices[6:0]);
  num_slices_q = slices;
  half_q       = slices[7:1];
  twos_q       = twos;
  odd_q        = slices >> twos;
  field_bits_q = twos > 3'd4 ? 2'(twos - 3'd4) : 2'd0;
endtask

// The reciprocal of `by` is made; the next command waits for it.
task automatic start_divide(input logic [1:0] kind, input logic [9:0] by);
  divide_d = 1'b1;
  divide_kind_q = kind;
  divide_by_q   = by;
endtask

// The steps of a command: accept, where, act. The last one comes first when each takes a clock.
task automatic command();
  logic acts;
  acts = 1'b0;
  if (!Pipelined) command_accept();
  if (!Pipelined && beat_valid_q && !where_valid_q) command_where();
  if (beat_valid_q && where_valid_q && in_flush(FlushNone) && in_state(SliceIdle) && !divide_start
      && !divide_busy && (alloc_ok_d || pool_empty)) begin
    acts = 1'b1;
    command_act();
  end
  if (Pipelined && beat_valid_q && !where_valid_q && !acts) command_where();
  if (Pipelined) command_accept();
  cmd_ready_o <= !beat_valid_q && !init_q && calendar_ready && reply_ready
                 && flush_q == FlushNone && slice_state_q == SliceIdle;
endtask

task automatic command_accept();
  if (cmd_valid_i && cmd_ready_o) begin
    busy_d       = 1'b1;
    beat_q       = cmd_i;
    beat_valid_q = 1'b1;
    word_q       = 2'd1;
  end
endtask

task automatic command_act();
  busy_d        = 1'b1;
  command_d     = beat_q[CommandW-1:0];
  beat_valid_q  = 1'b0;
  where_valid_q = 1'b0;
  case (command_d.kind)
    CmdSet:       command_set();
    CmdDramReply: command_dram_reply();
    CmdFlushL2:   start_flush(clear_q);
    CmdFillL2: begin
      if (clear_q) begin
        start_flush(1'b1);
        beat_valid_q = 1'b1;
      end else begin
        copy_line_q   = command_d.at;
        copy_left_q   = command_d.value;
        slice_state_q = SliceCopy;
      end
    end
    CmdRemote: begin
      command_remote();
      beat_valid_q = word_q != command_d.words;
      word_q       = word_q + 1'b1;
    end
    default: ;
  endcase
endtask

// The number here of the slice that the command, or a word of Remote, names.
task automatic command_where();
  busy_d    = 1'b1;
  command_d = beat_q[CommandW-1:0];
  remote_d  = beat_q[word_q*128 +: 128];
  where_q       = local_slice(command_d.kind == CmdRemote ? remote_d.slice : command_d.sm);
  where_valid_q = 1'b1;
endtask

task automatic command_set();
  logic [31:0] value;
  logic [7:0]  odd;
  value = command_d.value;
  case (32'(command_d.id))
    ParamNumSlices: begin
      set_num_slices(value[7:0]);
      odd = value[7:0] >> twos_of(value[6:0]);
      start_divide(2'd0, {2'd0, odd});
      clear_q = 1'b1;
      if (value == '0 || value > 32'(NumSlices)) fault_d = FaultParameter;
    end
    ParamL2Sets: begin
      sets_q  = value[9:0];
      clear_q = 1'b1;
      start_divide(2'd1, value[9:0]);
      if (value == '0 || value > 32'd1023) fault_d = FaultParameter;
    end
    ParamInstances: begin
      instances_q = value[7:0];
      clear_q     = 1'b1;
      start_divide(2'd2, 10'(value[7:0]));
      if (value == '0 || value > 32'(NumSlices)) fault_d = FaultParameter;
    end
    ParamInstance: begin
      instance_q = value[7:0];
      clear_q    = 1'b1;
    end
    ParamHash:           fold_q            = value[0];
    ParamAtomicInterval: atomic_interval_q = value[7:0];
    ParamNetRequest:     net_request_q     = TimeW'(value);
    ParamNetReply:       net_reply_q       = TimeW'(value);
    ParamL2Latency:      l2_latency_q      = TimeW'(value);
    ParamL2Miss:         l2_miss_q         = TimeW'(value);
    ParamL2Fill:         l2_fill_q         = TimeW'(value);
    ParamNetCross:       net_cross_q       = TimeW'(value);
    ParamPartitions: begin
      two_q   = value[1];
      clear_q = 1'b1;
      if (value != 32'd1 && value != 32'd2) fault_d = FaultParameter;
    end
    ParamFlitSectors: begin
      flit_shift_q = value[2:1];
      if (value != 32'd1 && value != 32'd2 && value != 32'd4) fault_d = FaultParameter;
    end
    ParamFlitTime: begin
      flit_time_q = value[15:0];
      if (value < 32'd256 || value > 32'd65535) fault_d = FaultParameter;
    end
    ParamL2Fetch: begin
      fetch_q = value[2:1];
      if (value != 32'd1 && value != 32'd2 && value != 32'd4) fault_d = FaultParameter;
    end
    ParamL2DirtyWays: begin
      dirty_ways_q = value[WayBits-1:0];
      if (value > 32'(NumWays)) fault_d = FaultParameter;
    end
    ParamDramEntries: begin
      entries_q = value[9:0];
      if (value < 32'd2 || value > 32'd1023) fault_d = FaultParameter;
    end
    ParamScrub: scrub_period_q = value == '0 || value > ScrubMost ? ScrubMost : value;
    default: ;
  endcase
endtask

// A reply of memory joins those of its slice; it acts when the slice comes to its time. That a
// write has been taken is one without a request: it gets a node of its own.
task automatic command_dram_reply();
  node_t  node;
  slice_t slice;
  logic   written;
  written = command_d.value[0];
  node    = written ? alloc_node_d : command_d.id[NodeBits-1:0];
  slice   = where_q;
  fills_d = fills_mem[slice];
  wait_d  = wait_mem[command_d.id[NodeBits-1:0]];
  if (!written && wait_d.asked == '0) begin
    fault_d = FaultDramId;
  end else if (earlier(command_d.at, reached_i)
               || (fills_d.some && earlier(command_d.at, fill_last_mem[slice]))) begin
    fault_d = FaultDramOrder;
  end else begin
    `STORE(fill_time_mem[node], command_d.at);
    `STORE(fill_last_mem[slice], command_d.at);
    alloc_d   = written;
    trip_we_d = written;
    trip_at_d = node;
    trip_d    = TripWritten;
    if (fills_d.some) `STORE(fill_next_mem[fills_d.tail], node);
    else fills_d.head = node;
    fills_d.some = 1'b1;
    fills_d.tail = node;
    fills_we_d   = 1'b1;
    fills_at_d   = slice;
    active_q[slice] = 1'b1;
    slices_next_q   = first(slices_next_q, {1'b0, command_d.at});
  end
endtask

// A request or a reply of another instance enters the calendar.
task automatic command_remote();
  remote_d = beat_q[word_q*128 +: 128];
  alloc_d  = 1'b1;
  insert_d = 1'b1;
  insert_node_d = alloc_node_d;
  trip_we_d = 1'b1;
  trip_at_d = alloc_node_d;
  trip_d    = TripNone;
  if (remote_d.kind == EvRequest) begin
    node_we_d      = 1'b1;
    node_d         = '0;
    node_d.at      = remote_d.at;
    node_d.sm      = remote_d.sm;
    node_d.warp    = remote_d.warp;
    node_d.bar     = remote_d.bar;
    node_d.kind    = remote_d.req;
    node_d.perform = remote_d.perform;
    node_d.slot    = remote_d.slot;
    node_d.mshr    = remote_d.mshr;
    node_d.cached  = remote_d.cached;
    node_d.sectors = remote_d.sectors;
    node_d.full    = remote_d.full;
    node_d.lanes   = remote_d.lanes;
    node_d.addr    = remote_d.addr;
    insert_source_d = SourceBits'(remote_d.sm);
    insert_time_d   = remote_d.at + net_request_q;
    insert_dest_d   = 8'(where_q);
  end else begin
    reply_we_d      = 1'b1;
    reply_node_d    = alloc_node_d;
    reply_d         = '0;
    reply_d.at      = remote_d.at;
    reply_d.warp    = remote_d.warp;
    reply_d.bar     = remote_d.bar;
    reply_d.mshr    = remote_d.mshr;
    reply_d.cached  = remote_d.cached;
    reply_d.sectors = remote_d.sectors;
    insert_source_d = SourceBits'(FirstSlice) + remote_d.slice;
    insert_time_d   = remote_d.at;
    insert_dest_d   = remote_d.sm;
  end
endtask
