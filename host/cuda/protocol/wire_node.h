/* wire_node.h - a graph node in a message: this head, then the handles of the nodes that it depends
 * on (8 bytes each), then, for a kernel, its parameters in the device's layout.
 *
 * word[], by kind:
 *   kernel  function, grid x | y << 32, grid z, block x | y << 32, block z, dynamic shared bytes,
 *           cooperative
 *   copy    dst, pitch, slice, src, pitch, slice, width, height, depth, cudaMemcpyKind,
 *           then 0: memory, 1: dst is an offset in variable word[11], 2: src is
 *   fill    dst, pitch, value, element size, width in elements, height
 *   host    function, argument
 *   child   the child graph
 *   events  the event
 *   alloc   bytes, device, address
 *   free    address
 *   memory  none: the stream memory operations follow, as a kernel's parameters do */
#ifndef HEDDLE_CUDA_PROTOCOL_WIRE_NODE_H
#define HEDDLE_CUDA_PROTOCOL_WIRE_NODE_H

#include <stdint.h>

/* cudaGraphNodeType, and the kinds that only libcuda has. */
enum node_kind {
    NODE_KERNEL = 0,
    NODE_COPY = 1,
    NODE_FILL = 2,
    NODE_HOST = 3,
    NODE_CHILD_GRAPH = 4,
    NODE_EMPTY = 5,
    NODE_EVENT_WAIT = 6,
    NODE_EVENT_RECORD = 7,
    NODE_ALLOC = 10,
    NODE_FREE = 11,
    NODE_BATCH_MEM_OP = 12,
};

enum { WIRE_NODE_WORDS = 12, WIRE_NODE_TO_SYMBOL = 1, WIRE_NODE_FROM_SYMBOL = 2 };

struct wire_node {
    uint32_t kind, num_from; /* enum node_kind; nodes that it depends on */
    uint64_t word[WIRE_NODE_WORDS];
};

#endif
