/* endings.c - makes some CUDA calls and ends in the way that its argument names (exit, crash, kill,
 * fork ...). */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_calls.h"

static void *use_cuda(void) {
    void *p;
    EXPECT(cudaMalloc(&p, 1 << 20), 0);
    EXPECT(cudaMemset(p, 1, 1 << 20), 0);
    return p;
}

/* Waits for a child. @return its exit status */
static int child_status(pid_t pid) {
    int status;
    CHECK(waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void fork_after_use(void) {
    void *p = use_cuda();
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        void *q;
        int first = cudaMalloc(&q, 16), second = cudaDeviceSynchronize();
        exit(first == 3 && second == 3 && cudaGetLastError() == 3 ? 0 : 1);
    }
    CHECK(child_status(pid) == 0);
    EXPECT(cudaFree(p), 0); /* the parent is not affected */
    printf("fork: ok\n");
}

static void fork_before_use(void) {
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        EXPECT(cudaFree(use_cuda()), 0);
        exit(0);
    }
    CHECK(child_status(pid) == 0);
    EXPECT(cudaFree(use_cuda()), 0);
    printf("fork_early: ok\n");
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "fork")) {
        fork_after_use();
    } else if (!strcmp(how, "fork_early")) {
        fork_before_use();
    } else if (!strcmp(how, "exec")) {
        use_cuda();
        execl("/proc/self/exe", argv[0], "execed", (char *)NULL);
    } else if (!strcmp(how, "execed")) {
        EXPECT(cudaFree(use_cuda()), 0);
        printf("exec: ok\n");
    } else if (!strcmp(how, "crash")) {
        use_cuda();
        raise(SIGSEGV);
    } else if (!strcmp(how, "kill")) {
        use_cuda();
        kill(getpid(), SIGKILL);
    } else if (!strcmp(how, "kill_early")) {
        kill(getpid(), SIGKILL);
    } else if (!strcmp(how, "_exit")) {
        use_cuda();
        _exit(3);
    } else if (!strcmp(how, "touch")) {
        *(volatile char *)use_cuda() = 1; /* the host cannot access device memory */
    } else if (!strcmp(how, "exit")) {
        use_cuda();
        return 7;
    } else if (!strcmp(how, "unsupported")) {
        void *p;
        EXPECT(cudaArrayGetPlane(&p, NULL, 0), 801);
        EXPECT(cudaArrayGetPlane(&p, NULL, 0), 801);
        EXPECT(cudaGetLastError(), 801);
        EXPECT(cudaGetLastError(), 0);
    } else {
        printf("endings: how?\n");
        return 2;
    }
    return 0;
}
