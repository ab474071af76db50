// ping_pong: PE 0 and PE 1 send a message to and fro, by puts with a signal from one thread.
#define APP_NAME "ping_pong"
#include "shmem_app.h"

// Each hop adds 1 to all words of the message. *ns: time of all rounds.
__global__ void ping_pong(unsigned *message, uint64_t *signal, size_t words, int rounds,
                          unsigned long long *ns) {
    const int me = nvshmem_my_pe(), other = 1 - me;
    const unsigned long long begin = app_now();
    for (int r = 1; r <= rounds; r++) {
        if (me == 1) nvshmem_signal_wait_until(signal, NVSHMEM_CMP_GE, r);
        for (size_t i = 0; i < words; i++) ((volatile unsigned *)message)[i] += 1;
        nvshmem_uint_put_signal_nbi(message, message, words, signal, r, NVSHMEM_SIGNAL_SET, other);
        if (me == 0) nvshmem_signal_wait_until(signal, NVSHMEM_CMP_GE, r);
    }
    *ns = app_now() - begin;
}

int main(int argc, char **argv) {
    long bytes = 64, rounds = 10;
    const app_option options[] = {
        {"-s", "bytes of the message", &bytes, 4, 1 << 20},
        {"-r", "rounds", &rounds, 1, 100000},
    };
    app_start(argc, argv, "Sends a message to and fro between two PEs.", options, 2);
    const int me = app_begin_pe(2);
    const size_t words = bytes / 4;
    unsigned *message = app_symmetric<unsigned>(words);
    uint64_t *signal = app_symmetric<uint64_t>(1);
    unsigned long long *device_ns = app_zeros_on_device<unsigned long long>(1), ns = 0;
    nvshmem_barrier_all();
    if (me < 2) {
        ping_pong<<<1, 1>>>(message, signal, words, (int)rounds, device_ns);
        WAIT("ping_pong");
        app_to_host(&ns, device_ns, 1);
    }
    std::vector<unsigned> got(words);
    app_to_host(got.data(), message, words);
    const char *error = NULL;
    for (unsigned w : got)
        if (me < 2 && w != 2 * rounds) error = "the message is not as expected";
    char result[100];
    snprintf(result, sizeof result, "%ld bytes: %.3f us for a half round", bytes,
             ns / 2e3 / rounds);
    return app_end_pe(error, result);
}
