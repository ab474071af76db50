// teams: splits of all shapes, places and numbers, barriers and collectives of teams at the same
// time.
#include "shmem_test.h"

// What a member finds in a kernel: its place, and that of others.
__global__ void look(S(team_t) team, int place, int size, int first, int stride) {
    EXPECT(S(team_my_pe)(team) == place, "team_my_pe");
    EXPECT(S(team_n_pes)(team) == size, "team_n_pes");
    for (int i = 0; i < size; i++)
        EXPECT(S(team_translate_pe)(team, i, SC(TEAM_WORLD)) == first + i * stride, "translate");
    EXPECT(S(team_translate_pe)(team, size, SC(TEAM_WORLD)) == -1, "translate");
    EXPECT(S(team_translate_pe)(SC(TEAM_WORLD), first, team) == 0, "translate");
    EXPECT(S(team_translate_pe)(SC(TEAM_WORLD), -1, team) == -1, "translate");
    EXPECT(S(team_translate_pe)(SC(TEAM_INVALID), 0, team) == -1, "translate");
}
// Members meet, by thread, warp and CTA; what one has sent before, its neighbour has afterwards.
__global__ void meet(S(team_t) team, int *word, int *sums) {
    const int place = S(team_my_pe)(team), size = S(team_n_pes)(team);
    const int right = S(team_translate_pe)(team, (place + 1) % size, SC(TEAM_WORLD));
    SB(barrier)(team);
    for (int i = 1; i <= 4; i++) {
        if (is_thread_0()) S(int_put_nbi)(word, word + 1, 1, right);
        SB(barrier)(team);
        if (is_thread_0()) {
            EXPECT(*(volatile int *)word == i * 100, "barrier");
            word[1] = (i + 1) * 100;
            S(team_sync)(team);
        }
        if (is_warp_0()) SW(team_sync)(team);
        SB(sync)(team);
        if (is_thread_0()) S(barrier)(team);
    }
    __syncthreads();
    sums[threadIdx.x] = place + (int)threadIdx.x;
    __syncthreads();
    SB(int_sum_reduce)(team, sums + 64, sums, 64);
    EXPECT(sums[64 + threadIdx.x] == size * (size - 1) / 2 + size * (int)threadIdx.x, "reduce");
    SB(int_broadcast)(team, sums + 128, sums, 64, size - 1);
    EXPECT(sums[128 + threadIdx.x] == size - 1 + (int)threadIdx.x, "broadcast");
    SB(barrier)(team);
}

static void use(S(team_t) team, int first, int stride, int size) {
    const int me = S(my_pe)(), place = (me - first) / stride;
    HOST_EXPECT(S(team_my_pe)(team) == place && S(team_n_pes)(team) == size);
    HOST_EXPECT(S(team_translate_pe)(team, size - 1,
            SC(TEAM_WORLD)) == first + (size - 1) * stride);
    look<<<1, 1>>>(team, place, size, first, stride);
    FINISH();
}

int main() {
    S(init)();
    const int me = S(my_pe)(), n = S(n_pes)();
    int *words = (int *)S(malloc)(300 * sizeof(int)), *sums = words + 32;
    S(team_t) team, odd, even, row, column;
    use(SC(TEAM_WORLD), 0, 1, n);
    use(SC(TEAM_SHARED), me, 1, 1);
    HOST_EXPECT(S(team_my_pe)(SC(TEAM_INVALID)) == -1 && S(team_n_pes)(SC(TEAM_INVALID)) == -1);
#define MEET(TEAM)                                                             \
    {                                                                          \
        const int begin[2] = {0, 100};                                         \
        CHECK(cudaMemcpy(words, begin, sizeof begin, cudaMemcpyHostToDevice)); \
        meet<<<1, 64>>>(TEAM, words, sums);                                    \
        FINISH();                                                              \
    }
    MEET(SC(TEAM_WORLD))
    MEET(SC(TEAM_SHARED))
    // all, backwards, and one of everybody but the last; many times, since numbers are used again
    for (int i = 0; i < (getenv("TEST_IS_TIMED") ? 3 : 40); i++) {
        HOST_EXPECT(!S(team_split_strided)(SC(TEAM_WORLD), n - 1, -1, n, NULL, 0, &team));
        if (i == 0) {
            use(team, n - 1, -1, n);
            MEET(team)
        }
        S(team_destroy)(team);
    }
    if (n > 1) {
        HOST_EXPECT(!S(team_split_strided)(SC(TEAM_WORLD), 0, 1, n - 1, NULL, 0, &team));
        HOST_EXPECT((team == SC(TEAM_INVALID)) == (me == n - 1));
        if (team != SC(TEAM_INVALID)) {
            use(team, 0, 1, n - 1);
            MEET(team)
        }
        // of a team, a team: at different PEs with different histories
        if (team != SC(TEAM_INVALID)) {
            S(team_t) inner;
            HOST_EXPECT(!S(team_split_strided)(team, n > 2 ? 1 : 0, 1, n > 2 ? n - 2 : 1,
                    NULL, 0, &inner));
            if (inner != SC(TEAM_INVALID)) MEET(inner)
            // it stays
        }
        HOST_EXPECT(!S(team_split_strided)(SC(TEAM_WORLD), 0, 2, (n + 1) / 2, NULL, 0, &even));
        HOST_EXPECT(!S(team_split_strided)(SC(TEAM_WORLD), 1, 2, n / 2, NULL, 0, &odd));
        HOST_EXPECT((even == SC(TEAM_INVALID)) == (me % 2 == 1)
                && (odd == SC(TEAM_INVALID)) == (me % 2 == 0));
        if (me % 2) use(odd, 1, 2, n / 2);
        else use(even, 0, 2, (n + 1) / 2);
        MEET(me % 2 ? odd : even) // both at once
        S(barrier)(me % 2 ? odd : even);
        S(team_sync)(me % 2 ? odd : even);
        HOST_EXPECT(S(team_translate_pe)(me % 2 ? odd : even, 0, SC(TEAM_WORLD)) == me % 2);
    }
    HOST_EXPECT(!S(team_split_2d)(SC(TEAM_WORLD), 2, NULL, 0, &row, NULL, 0, &column));
    const int columns = n < 2 ? n : 2;
    use(row, me / columns * columns, 1, me / columns * columns + columns > n
            ? n % columns : columns);
    use(column, me % columns, columns, (n - me % columns - 1) / columns + 1);
    MEET(row)
    S(barrier_all)();
    MEET(column)
    // what cannot be
    HOST_EXPECT(S(team_split_strided)(SC(TEAM_WORLD), 0, 1, n + 1, NULL, 0, &team)
            && team == SC(TEAM_INVALID));
    HOST_EXPECT(S(team_split_strided)(SC(TEAM_INVALID), 0, 1, 1, NULL, 0, &team)
            && team == SC(TEAM_INVALID));
    S(team_destroy)(SC(TEAM_INVALID));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    SX(barrier_on_stream)(row, stream);
    SX(team_sync_on_stream)(column, stream);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    S(barrier_all)();
    S(free)(words);
    return test_end("teams");
}
