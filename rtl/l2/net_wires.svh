// Wires between the modules of the network engine, by the module that drives them or first needs
// them.

// ---------------------------------------------------------------- windows
logic        wakes, busy, rests, clears, window_flush, flushing, extracts, extracted, serving;
logic        served;
logic        scrub, scrub_all;
logic [6:0]  scrub_slice;
time_t       window_end, scrub_period, scrub_floor;
bound_t      calendar_next, queues_next;
logic        pool_empty, order_wrong;
logic [FaultW-1:0] queues_fault, serve_fault, flush_fault, parameter_fault;

// ---------------------------------------------------------------- commands and parameters
logic         command_busy, command_rests, setting, command_take, spare_shown;
logic         set, command_flush, command_unpin, copy, dram, dram_written, remote, remote_reply;
logic [15:0]  set_id;
logic [31:0]  set_value, copy_line, copy_count;
time_t        dram_at, remote_time;
logic [127:0] remote_word;
logic [63:0]  remote_answer;
source_t      remote_source;
logic [7:0]   remote_dest;
slice_t       command_slice;
node_t        command_node, spare_node;
logic [7:0]   num_slices, instances, instance_number, odd;
logic [2:0]   twos;
logic [1:0]   field_bits, interleave, flit_shift, fetch;
logic [9:0]   sets, entries_max;
logic         fold, two, unclear, divide, divide_busy;
logic [6:0]   half;
time_t        net_request, net_reply, net_cross, l2_latency, l2_miss, l2_fill;
logic [15:0]  flit_time, atomic_time;
logic [3:0]   dirty_ways, pinned_ways;
logic [1:0]   divide_kind;
logic [9:0]   divide_by;
logic [30:0]  slice_inv;
logic [7:0]   slice_wrap;
logic [20:0]  set_inv;
logic [16:0]  instance_inv;

// ---------------------------------------------------------------- nodes
logic  pool_ok, spare_ok, spare_take, serve_take, frees, ingress_enters;
logic  serve_free, port_free, port_free_ready, reply_free;
node_t pool_node, free_node, serve_free_node, port_free_node, reply_node;

// ---------------------------------------------------------------- requests
logic         ingress_busy, ingress_insert, ingress_leave, ingress_taken;
logic [127:0] ingress_word;
slice_t       ingress_slice;

// ---------------------------------------------------------------- calendar
logic       calendar_ready, calendar_busy, departs, enters;
node_t      enter_node, out_node;
source_t    enter_source, out_source;
time_t      enter_time, out_time;
logic [7:0] enter_dest, out_dest;
// a message of a slice
logic        port_insert, port_reply, port_note, write_node;
source_t     port_source;
time_t       port_time;
node_t       port_node;
logic [7:0]  port_dest;
logic [63:0] port_word;
logic [NoteW-1:0] port_note_word;
/* verilator lint_off UNUSEDSIGNAL */
request_t    ingress_request;
/* verilator lint_on UNUSEDSIGNAL */

// ---------------------------------------------------------------- replies
logic        reply_ready, reply_busy, to_slice;

// ---------------------------------------------------------------- queues of the slices
logic        queues_ready, work, pick, take, pop, again, stuck, done;
slice_t      queues_slice;
logic [2:0]  queues_op;
node_t       head;
time_t       service;
logic [9:0]  entries;
logic [23:0] slice_busy;
logic [1:0]  add;
logic [3:0]  dram_asked;

// ---------------------------------------------------------------- the message in work
logic         copying, copied, runs, look, home, ask;
logic [2:0]   op, act, trip;
slice_t       slice, mirror;
logic [7:0]   global_slice;
logic [31:0]  line;
logic [127:0] word, write_word;
logic [3:0]   answer, come, ask_sectors;
node_t        write_at, ask_node;

// ---------------------------------------------------------------- its set
logic       found, hit, no_way, leaves, had_copy, too_many, waits, commit, last;
logic [3:0] present, missing, merged, asked, out_dirty, out_full, flush_way;
logic [31:0] out_line;
logic [2*NodeBits:0] waiting, stay;
logic       flush_read, flush_pick, flush_clear, flush_unpin;
logic       unpins, locks;                  // the request ends a pin; pins its way
logic [1:0] pin;
logic [RowBits-1:0]  flush_row;
logic [15:0] flush_dirty;
/* verilator lint_off UNUSEDSIGNAL */
request_t   request;
/* verilator lint_on UNUSEDSIGNAL */
logic       flush_write;
logic [7:0] flush_global;
logic [3:0] flush_counts;
logic       events_ready;

// ---------------------------------------------------------------- what is done with it
logic       port_ready, add_waiter, walk, send, perform, read, write, mix;
logic [3:0] wait_answer, send_sectors;
logic [1:0] send_kind;
node_t      send_node;
time_t      send_at, wake_at, miss_at, mix_at;
logic [2:0] send_trip, send_bar;
logic [15:0] counts;
logic [31:0] mix_line;
logic [22:0] outcome;

// ---------------------------------------------------------------- requests that wait
logic       wake, wake_cached;
node_t      wake_node;
logic [7:0] wake_sm;
logic [5:0] wake_warp;
logic [2:0] wake_bar, wake_trip;
logic [8:0] wake_mshr;
logic [3:0] wake_sectors;

// ---------------------------------------------------------------- what leaves
logic         port_busy, port_remote, port_remote_ready;
logic [127:0] port_remote_word;
logic events_busy;

// ---------------------------------------------------------------- other engines of the kernel
logic         enters_free, chip_busy, chip_offer, chip_enters, chip_reply;
logic [127:0] chip_word;
logic [63:0]  chip_answer;
source_t      chip_source;
time_t        chip_time;
logic [7:0]   chip_dest;
