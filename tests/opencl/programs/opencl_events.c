/* opencl_events.c - events: profiling, several queues, user events, callbacks, markers. */
#include <pthread.h>

#include "check.h"

enum { N = 1 << 16 };

static const char source[] = "__kernel void twice(__global int *a) { a[get_global_id(0)] *= 2; }\n";

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int called;

static void CL_CALLBACK note(cl_event event, cl_int status, void *user) {
    cl_int now;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL));
    CHECK(status == CL_COMPLETE && now == CL_COMPLETE && user == &called);
    pthread_mutex_lock(&lock);
    called = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static cl_ulong time_of(cl_event event, cl_profiling_info name) {
    cl_ulong time;
    OK(clGetEventProfilingInfo(event, name, sizeof time, &time, NULL));
    return time;
}

/* Reads that do not block wait for a user event that this thread sets afterwards: of a buffer, a
 * box, an image, and by mapping. */
static void test_late_reads(void) {
    enum { SIDE = 8, COUNT = SIDE * SIDE };
    static cl_int in[COUNT], got[4][COUNT];
    cl_int error, zero = 0;
    const size_t origin[3] = {0, 0, 0}, box[3] = {SIDE, SIDE, 1},
                 bytes[3] = {SIDE * sizeof(cl_int), SIDE, 1};
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    cl_command_queue in_order = clCreateCommandQueue(context, device, 0, &error);
    OK(error);
    for (int i = 0; i < COUNT; i++) in[i] = 7 * i + 1;
    cl_mem m = buffer(CL_MEM_COPY_HOST_PTR, sizeof in, in),
           image = clCreateImage2D(context, 0, &format, SIDE, SIDE, 0, NULL, &error);
    OK(error);
    cl_event gate = clCreateUserEvent(context, &error), last;
    OK(error);
    OK(clEnqueueCopyBufferToImage(in_order, m, image, 0, origin, box, 1, &gate, NULL));
    OK(clEnqueueReadBuffer(in_order, m, CL_FALSE, 0, sizeof in, got[0], 0, NULL, NULL));
    OK(clEnqueueReadBufferRect(in_order, m, CL_FALSE, origin, origin, bytes, bytes[0], 0, bytes[0],
                               0, got[1], 0, NULL, NULL));
    OK(clEnqueueReadImage(in_order, image, CL_FALSE, origin, box, 0, 0, got[2], 0, NULL, NULL));
    cl_int *mapped = clEnqueueMapBuffer(in_order, m, CL_FALSE, CL_MAP_READ, 0, sizeof in, 0, NULL,
                                        &last, &error);
    OK(error);
    OK(clEnqueueFillBuffer(in_order, m, &zero, sizeof zero, 0, sizeof in, 0, NULL, NULL));
    for (int i = 0; i < 3; i++) CHECK(got[i][COUNT - 1] == 0);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &last));
    memcpy(got[3], mapped, sizeof in);
    for (int i = 0; i < 4; i++) CHECK(memcmp(got[i], in, sizeof in) == 0);
    OK(clEnqueueUnmapMemObject(in_order, m, mapped, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(last));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(m));
    OK(clReleaseCommandQueue(in_order));
}

int main(void) {
    static cl_int a[N];
    cl_int error, status;
    start(CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_kernel twice = kernel_of(build(source, ""), "twice");
    for (int i = 0; i < N; i++) a[i] = i;
    cl_mem m = buffer(0, sizeof a, NULL);
    OK(clSetKernelArg(twice, 0, sizeof m, &m));

    /* a chain over two queues that starts at a user event */
    cl_command_queue other = clCreateCommandQueue(context, device, 0, &error);
    OK(error);
    cl_event begin = clCreateUserEvent(context, &error), written, run, marker, read;
    OK(error);
    size_t global = N;
    OK(clEnqueueWriteBuffer(queue, m, CL_FALSE, 0, sizeof a, a, 1, &begin, &written));
    OK(clEnqueueNDRangeKernel(other, twice, 1, NULL, &global, NULL, 1, &written, &run));
    OK(clEnqueueMarkerWithWaitList(queue, 1, &run, &marker));
    OK(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &global, NULL, 1, &marker, &read));
    OK(clGetEventInfo(run, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECK(status != CL_COMPLETE);
    OK(clSetEventCallback(read, CL_COMPLETE, note, &called));
    OK(clSetUserEventStatus(begin, CL_COMPLETE));
    CHECK_IS(clSetUserEventStatus(begin, CL_COMPLETE), CL_INVALID_OPERATION);
    OK(clWaitForEvents(1, &read));
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof a, a, 0, NULL, NULL));
    for (int i = 0; i < N; i++) CHECK(a[i] == 4 * i);
    pthread_mutex_lock(&lock);
    while (!called) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);

    /* times of the simulated GPU: in order, and those of the second command after the first's */
    cl_event first = written, second = read;
    cl_ulong previous = 0;
    for (int i = 0; i < 2; i++) {
        cl_event e = i ? second : first;
        cl_ulong queued = time_of(e, CL_PROFILING_COMMAND_QUEUED);
        cl_ulong submitted = time_of(e, CL_PROFILING_COMMAND_SUBMIT);
        cl_ulong started = time_of(e, CL_PROFILING_COMMAND_START);
        cl_ulong ended = time_of(e, CL_PROFILING_COMMAND_END);
        CHECK(queued <= submitted && submitted <= started && started <= ended);
        CHECK(previous <= started);
        previous = ended;
    }
    cl_ulong copy = time_of(first, CL_PROFILING_COMMAND_END) -
                    time_of(first, CL_PROFILING_COMMAND_START);
    CHECK(copy > 0); /* without timing, the calls' own time */
    cl_ulong t;
    CHECK_IS(clGetEventProfilingInfo(run, CL_PROFILING_COMMAND_END, sizeof t, &t, NULL),
             CL_PROFILING_INFO_NOT_AVAILABLE);
    cl_event list[] = {begin, written, run, marker, read};
    for (int i = 0; i < 5; i++) OK(clReleaseEvent(list[i]));
    OK(clReleaseCommandQueue(other));
    test_late_reads();
    stop();
    printf("opencl_events: ok\n");
    return 0;
}
