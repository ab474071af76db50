// Sources of the kernel in the order of compilation, for Verilator, yosys and Vivado.
heddle_pkg.sv
cell/fifo.sv
sm/sm_counters.sv
sm/sm_events.sv
sm/sm_engine.sv
l2/net_engine.sv
top/heddle_control.sv
top/command_reader.sv
top/event_writer.sv
top/heddle_run.sv
top/heddle_top.sv
top/heddle_kernel.v
