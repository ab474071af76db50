# Several nodes: exact messages.
foreach(value 0 65 -1 two 2x "")
  string(MAKE_C_IDENTIFIER "${value}" id)
  heddle_negative_test(run.nodes_${id} STATUS 125
    COMMAND ${heddle} run "--nodes=${value}" -- /bin/true
    STDERR "heddle: error: --nodes ${value}: a number of 1 to 64\n")
endforeach()
heddle_negative_test(run.nodes_devices STATUS 125
  COMMAND ${heddle} run --nodes 33 --devices 2 -- /bin/true
  STDERR "heddle: error: --nodes 33 with --devices 2 are 66 GPUs: at most 64\n")
heddle_negative_test(run.nodes_checkpoint STATUS 125
  COMMAND ${heddle} run --nodes 2 --checkpoint x -- /bin/true
  STDERR "heddle: error: --checkpoint is for a run of one GPU in full detail: not with --nodes\n")
heddle_negative_test(run.nodes_memory STATUS 125 COMMAND ${heddle} run --nodes 30 -- /bin/true
  STDERR "heddle: error: the 30 GPUs of 30 nodes have 528 GiB of memory, and the timing core can \
tell 512 GiB apart: give each less, such as --set dram.size=8589934592\n")
heddle_negative_test(run.network_alone STATUS 125
  COMMAND ${heddle} run --network fat-tree -- /bin/true
  STDERR "heddle: error: --network fat-tree goes with --nodes N: one node has no network\n")
heddle_negative_test(run.design_alone STATUS 125
  COMMAND ${heddle} run --design apu -- /bin/true
  STDERR "heddle: error: --design goes with --nodes N\n")
heddle_negative_test(run.set_node_alone STATUS 125
  COMMAND ${heddle} run --set-node cp.threads=4 -- /bin/true
  STDERR "heddle: error: --set-node goes with --nodes N\n")
heddle_negative_test(run.design_unknown STATUS 125
  COMMAND ${heddle} run --nodes 2 --design fpga -- /bin/true
  STDERR "heddle: error: --design fpga: compnet, apu, dgpu, inter-kernel or cpu\n")
heddle_negative_test(run.set_node_unknown STATUS 125
  COMMAND ${heddle} run --nodes 2 --set-node cp.cores=4 -- /bin/true
  STDERR "heddle: error: --set-node: unknown key 'cp.cores', did you mean 'cpu.cores'?\n")
heddle_negative_test(run.set_node_load STATUS 125
  COMMAND ${heddle} run --nodes 2 --set-node cpu.load=24 -- /bin/true
  STDERR "heddle: error: --set-node: cpu.load = 24 does not divide the 64 bytes of a queue's \
entry\n")
set(networks ${CMAKE_BINARY_DIR}/share/heddle/networks)
heddle_negative_test(run.network_unknown STATUS 125
  COMMAND ${heddle} run --nodes 2 --network torus -- /bin/true
  STDERR "heddle: error: network 'torus': cannot open ${networks}/torus.ini: No such file or \
directory, there are: dragonfly, fat-tree, mvapich-tukey, star-100g\n")
heddle_negative_test(run.network_small STATUS 125
  COMMAND ${heddle} run --nodes 3 --network ${here}/two_ports.ini -- /bin/true
  STDERR "heddle: error: ${here}/two_ports.ini:8: star.ports = 2 are too few for 3 nodes: raise \
it, or choose a fat_tree\n")
heddle_negative_test(run.nodes_no_cuda STATUS 125
  COMMAND ${heddle} run --timing none --nodes 2 -- ${programs}/system_plain
  STDERR "heddle: error: 0 CUDA calls were intercepted: ${programs}/system_plain contains no CUDA \
code and does not need libcudart\n")
