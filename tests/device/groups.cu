// groups.cu - cooperative groups compared with plain arithmetic on ranks: blocks, tiles, coalesced
// lanes, the grid.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <stdio.h>
#include <string.h>

namespace cg = cooperative_groups;

struct triple {
    int a;
    double b;
};

template <unsigned SIZE> __device__ int check_tile(cg::thread_block block) {
    cg::thread_block_tile<SIZE> tile = {};
    auto same = cg::tiled_partition<SIZE>(block);
    unsigned rank = block.thread_rank(), base = rank / SIZE * SIZE;
    int wrong = tile.thread_rank() != rank % SIZE || same.size() != SIZE;
    wrong += tile.meta_group_rank() != rank / SIZE;
    wrong += tile.meta_group_size() != (block.size() + SIZE - 1) / SIZE;
    wrong += tile.shfl(rank, SIZE / 2) != base + SIZE / 2;
    triple t = {(int)rank, rank * 0.5};
    triple up = tile.shfl_up(t, 1), down = tile.shfl_down(t, 1);
    wrong += up.a != (int)(rank % SIZE ? rank - 1 : rank) || up.b != up.a * 0.5;
    wrong += down.a != (int)(rank % SIZE + 1 < SIZE ? rank + 1 : rank) || down.b != down.a * 0.5;
    if (SIZE > 1) wrong += tile.shfl_xor(rank, 1) != (rank ^ 1);
    unsigned odd = SIZE == 32 ? 0xaaaaaaaau : 0xaaaaaaaau & ((1u << SIZE % 32) - 1);
    wrong += tile.ballot(rank & 1) != (SIZE == 1 ? rank & 1 : odd);
    wrong += tile.any(rank == base) != 1 || tile.all(rank == base) != (SIZE == 1);
    wrong += cg::reduce(tile, rank, cg::plus<unsigned>()) != SIZE * base + SIZE * (SIZE - 1) / 2;
    wrong += cg::reduce(tile, (int)rank, cg::greater<int>()) != (int)(base + SIZE - 1);
    wrong += cg::reduce(tile, (float)rank, cg::less<float>()) != (float)base;
    tile.sync();
    cg::thread_group any = cg::tiled_partition(block, SIZE);
    any.sync();
    return wrong + (any.thread_rank() != rank % SIZE) + (any.size() != SIZE);
}

__global__ void check(int *wrong, unsigned *order) {
    cg::thread_block block = cg::this_thread_block();
    cg::grid_group grid = cg::this_grid();
    unsigned rank = block.thread_rank();
    __shared__ unsigned last;
    if (rank == block.size() - 1) last = rank;
    cg::sync(block);
    int bad = last != block.size() - 1 || block.group_index().x != blockIdx.x;
    bad += grid.thread_rank() != grid.block_rank() * block.size() + rank;
    bad += grid.size() != grid.num_blocks() * block.size();
    bad += check_tile<1>(block) + check_tile<4>(block) + check_tile<16>(block);
    bad += check_tile<32>(block);
    if (rank % 3 == 1) {
        cg::coalesced_group some = cg::coalesced_threads();
        unsigned lane = rank % 32, first = rank / 32 * 32;
        unsigned mine = 0, all = 0, lowest = 32;
        for (unsigned i = 0; i < 32; i++) {
            if ((first + i) % 3 != 1) continue;
            if (lowest == 32) lowest = i;
            mine += i < lane;
            all++;
        }
        bad += some.size() != all || some.thread_rank() != mine;
        bad += some.shfl(rank, 0) != first + lowest;
        bad += some.shfl_down(rank, 1) != (mine + 1 < all ? rank + 3 : rank);
        bad += some.shfl_up(rank, 1) != (mine ? rank - 3 : rank);
        bad += some.ballot(lane == lowest) != 1 || !some.all(1);
        unsigned votes = cg::reduce(some, 1u, cg::plus<unsigned>());
        bad += votes != all;
        if (some.thread_rank() == 0) atomicAdd(order, some.size());
    }
    if (bad) atomicAdd(wrong, bad);
}

// All blocks read after the grid's barrier what each block wrote before it; several times.
__global__ void across(int *wrong, unsigned *slots) {
    cg::grid_group grid = cg::this_grid();
    for (unsigned round = 1; round <= 5; round++) {
        if (threadIdx.x == 0) slots[blockIdx.x] = round * 100 + blockIdx.x;
        grid.sync();
        unsigned other = (blockIdx.x + threadIdx.x) % gridDim.x;
        if (*(volatile unsigned *)&slots[other] != round * 100 + other) atomicAdd(wrong, 1);
        grid.sync();
    }
}

int main() {
    int *wrong, found[2];
    unsigned *order;
    if (cudaMalloc(&wrong, 8) || cudaMalloc(&order, 256)) return 1;
    cudaMemset(wrong, 0, 8);
    cudaMemset(order, 0, 256);
    check<<<dim3(2, 2), dim3(16, 4, 2)>>>(wrong, order);
    unsigned counted;
    if (cudaMemcpy(found, wrong, 4, cudaMemcpyDeviceToHost)) return 1;
    cudaMemcpy(&counted, order, 4, cudaMemcpyDeviceToHost);
    int bad = found[0] + (counted != 4 * 43);
    printf("groups: %d wrong, %u counted\n", found[0], counted);

    void *arguments[] = {&wrong, &order};
    cudaMemset(wrong, 0, 8);
    for (int blocks = 1; blocks <= 60; blocks += 59) {
        cudaError_t error = cudaLaunchCooperativeKernel((const void *)across, dim3(blocks),
                                                        dim3(64), arguments, 0, 0);
        if (error == cudaErrorNotSupported) {
            // The device does not support cooperative launches. So few blocks are all resident in
            // any case.
            printf("groups: no cooperative launches, plain ones instead\n");
            cudaGetLastError();
            across<<<blocks, 64>>>(wrong, order);
        } else if (error) {
            printf("groups: %s\n", cudaGetErrorString(error));
            return 1;
        }
        if (cudaMemcpy(found, wrong, 4, cudaMemcpyDeviceToHost)) return 1;
        printf("groups: grid of %d: %d wrong\n", blocks, found[0]);
        bad += found[0];
    }
    printf(bad ? "groups: FAIL %d\n" : "groups: PASS %d wrong\n", bad);
    return bad != 0;
}
