/* opencl_failed_events.c - user events that fail: the commands that wait for them do not run, fail
 * themselves, and hold nothing up. */
#include <pthread.h>
#include <unistd.h>

#include "check.h"

enum { N = 1 << 10, FAILED = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST };

static const char source[] = "__kernel void add(__global int *a, int n) {\n"
                             "  a[get_global_id(0)] += n;\n"
                             "}\n";
static const size_t global = N;
static cl_kernel add;
static cl_mem numbers;
static cl_int read_back[N];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int calls;

/* `user`: where the status goes. */
static void CL_CALLBACK note(cl_event event, cl_int status, void *user) {
    (void)event;
    pthread_mutex_lock(&lock);
    *(cl_int *)user = status;
    calls++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void await_calls(int count) {
    pthread_mutex_lock(&lock);
    while (calls < count) pthread_cond_wait(&changed, &lock);
    calls = 0;
    pthread_mutex_unlock(&lock);
}

static cl_int status_of(cl_event event) {
    cl_int status;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static cl_event gate(void) {
    cl_int error;
    cl_event event = clCreateUserEvent(context, &error);
    OK(error);
    return event;
}

/* numbers[i] += n, in a queue. */
static cl_event enqueue(cl_command_queue q, cl_int n, cl_uint count, const cl_event *list) {
    cl_event event;
    OK(clSetKernelArg(add, 1, sizeof n, &n));
    OK(clEnqueueNDRangeKernel(q, add, 1, NULL, &global, NULL, count, list, &event));
    return event;
}

static void reset(void) {
    const cl_int zero = 0;
    OK(clEnqueueFillBuffer(queue, numbers, &zero, sizeof zero, 0, sizeof read_back, 0, NULL, NULL));
    OK(clFinish(queue));
}

/* All numbers are `n`. */
static void expect(cl_command_queue q, cl_int n) {
    OK(clEnqueueReadBuffer(q, numbers, CL_TRUE, 0, sizeof read_back, read_back, 0, NULL, NULL));
    for (int i = 0; i < N; i++) CHECK(read_back[i] == n);
}

static void release(cl_uint count, const cl_event *list) {
    for (cl_uint i = 0; i < count; i++) OK(clReleaseEvent(list[i]));
}

/* A chain over two queues, and an independent command in each of them. */
static void test_chain(cl_command_queue other) {
    cl_int seen[3] = {1, 1, 1};
    reset();
    cl_event e[5] = {gate()};
    e[1] = enqueue(queue, 1, 1, &e[0]);
    e[2] = enqueue(other, 2, 1, &e[1]);
    OK(clEnqueueMarkerWithWaitList(queue, 1, &e[2], &e[3]));
    e[4] = enqueue(other, 16, 0, NULL);
    for (int i = 1; i < 4; i++)
        CHECK(status_of(e[i]) == CL_QUEUED || status_of(e[i]) == CL_SUBMITTED);
    OK(clSetEventCallback(e[0], CL_COMPLETE, note, &seen[0]));
    OK(clSetEventCallback(e[2], CL_COMPLETE, note, &seen[1]));
    OK(clSetEventCallback(e[3], CL_SUBMITTED, note, &seen[2]));
    OK(clSetUserEventStatus(e[0], -5));
    CHECK_IS(clSetUserEventStatus(e[0], CL_COMPLETE), CL_INVALID_OPERATION);
    OK(clFinish(queue));
    OK(clFinish(other));
    await_calls(3);
    CHECK(seen[0] == -5 && seen[1] == FAILED && seen[2] == FAILED);
    CHECK(status_of(e[0]) == -5);
    for (int i = 1; i < 4; i++) {
        CHECK(status_of(e[i]) == FAILED);
        CHECK_IS(clWaitForEvents(1, &e[i]), FAILED);
    }
    CHECK_IS(clWaitForEvents(5, e), FAILED);
    OK(clWaitForEvents(1, &e[4]));
    CHECK(status_of(e[4]) == CL_COMPLETE);
    cl_ulong t;
    CHECK_IS(clGetEventProfilingInfo(e[1], CL_PROFILING_COMMAND_END, sizeof t, &t, NULL),
             CL_PROFILING_INFO_NOT_AVAILABLE);
    expect(queue, 16);
    release(5, e);
}

static void *fail_later(void *event) {
    usleep(100000);
    OK(clSetUserEventStatus(event, -1));
    return NULL;
}

/* Commands that block: the event has failed already, or fails while they wait. Every kind of
 * command that does not block keeps its hands off. */
static void test_commands(void) {
    cl_int error, one[N], dummy = 7;
    const size_t origin[3] = {0, 0, 0}, box[3] = {4, 1, 1}, texels[3] = {2, 2, 1};
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    for (int i = 0; i < N; i++) one[i] = 1;
    cl_mem from = buffer(CL_MEM_COPY_HOST_PTR, sizeof one, one),
           image = clCreateImage2D(context, 0, &format, 2, 2, 0, NULL, &error);
    OK(error);
    const cl_int color[4] = {3, 3, 3, 3};
    cl_int shown[4];
    OK(clEnqueueFillImage(queue, image, color, origin, texels, 0, NULL, NULL));
    reset();
    cl_event never[8], g = gate();
    cl_int *mapped = clEnqueueMapBuffer(queue, numbers, CL_TRUE, CL_MAP_WRITE, 0, 4, 0, NULL, NULL,
                                        &error);
    OK(error);
    *mapped = 9;
    OK(clEnqueueUnmapMemObject(queue, numbers, mapped, 1, &g, &never[0]));
    OK(clEnqueueCopyBuffer(queue, from, numbers, 0, 0, sizeof one, 1, &g, &never[1]));
    OK(clEnqueueFillBuffer(queue, numbers, &dummy, 4, 0, sizeof one, 1, &g, &never[2]));
    OK(clEnqueueWriteBuffer(queue, numbers, CL_FALSE, 0, sizeof one, one, 1, &g, &never[3]));
    OK(clEnqueueCopyBufferToImage(queue, from, image, 0, origin, texels, 1, &g, &never[4]));
    OK(clEnqueueWriteBufferRect(queue, numbers, CL_FALSE, origin, origin, box, 0, 0, 0, 0, one, 1,
                                &g, &never[5]));
    OK(clEnqueueReadBuffer(queue, from, CL_FALSE, 0, sizeof one, read_back, 1, &g, &never[6]));
    OK(clEnqueueFillImage(queue, image, one, origin, texels, 1, &g, &never[7]));
    for (int i = 0; i < N; i++) read_back[i] = -1;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, fail_later, g) == 0);
    CHECK_IS(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, 4, &dummy, 1, &g, NULL), FAILED);
    CHECK(pthread_join(thread, NULL) == 0);
    OK(clFinish(queue));
    for (int i = 0; i < 8; i++) CHECK(status_of(never[i]) == FAILED);
    for (int i = 0; i < N; i++) CHECK(read_back[i] == -1);
    cl_event e = NULL;
    CHECK_IS(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, 4, &dummy, 1, never, &e), FAILED);
    CHECK_IS(clEnqueueWriteBuffer(queue, numbers, CL_TRUE, 0, 4, one, 1, &g, &e), FAILED);
    CHECK(!clEnqueueMapBuffer(queue, numbers, CL_TRUE, CL_MAP_READ, 0, 4, 1, &g, &e, &error));
    CHECK(error == FAILED && !e && dummy == 7);
    cl_event late = enqueue(queue, 5, 1, &g); /* the event has failed before */
    CHECK_IS(clWaitForEvents(1, &late), FAILED);
    expect(queue, 0);
    OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, texels, 0, 0, shown, 0, NULL, NULL));
    for (int i = 0; i < 4; i++) CHECK(shown[i] == 3);
    release(8, never);
    OK(clReleaseEvent(late));
    OK(clReleaseEvent(g));
    OK(clReleaseMemObject(from));
    OK(clReleaseMemObject(image));
}

/* Arguments and objects may change and go between the call and the command. */
static void test_late_arguments(void) {
    reset();
    cl_mem second = buffer(0, sizeof read_back, NULL);
    cl_event g = gate(), e[2];
    cl_int zero = 0;
    OK(clSetKernelArg(add, 0, sizeof second, &second));
    OK(clEnqueueFillBuffer(queue, second, &zero, sizeof zero, 0, sizeof read_back, 1, &g, NULL));
    zero = 77;
    e[0] = enqueue(queue, 3, 1, &g);
    OK(clEnqueueCopyBuffer(queue, second, numbers, 0, 0, sizeof read_back, 1, &e[0], &e[1]));
    OK(clReleaseMemObject(second)); /* returns, though commands still wait */
    OK(clSetKernelArg(add, 0, sizeof numbers, &numbers));
    cl_event last = enqueue(queue, 100, 1, &e[1]);
    CHECK(status_of(last) != CL_COMPLETE);
    OK(clSetUserEventStatus(g, CL_COMPLETE));
    OK(clWaitForEvents(1, &last));
    expect(queue, 103);
    release(2, e);
    OK(clReleaseEvent(last));
    OK(clReleaseEvent(g));
}

/* In a queue without order, a command passes those that wait, but not a barrier. */
static void test_order(void) {
    cl_int error;
    cl_command_queue q = clCreateCommandQueue(context, device,
                                              CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    OK(error);
    reset();
    cl_event g = gate(), e[5];
    e[0] = enqueue(q, 1, 1, &g);
    e[1] = enqueue(q, 2, 0, NULL);
    OK(clWaitForEvents(1, &e[1]));
    CHECK(status_of(e[0]) != CL_COMPLETE);
    OK(clEnqueueBarrierWithWaitList(q, 0, NULL, &e[2]));
    e[3] = enqueue(q, 4, 0, NULL);
    OK(clEnqueueMarker(q, &e[4]));
    for (int i = 2; i < 5; i++) CHECK(status_of(e[i]) == CL_QUEUED);
    OK(clSetUserEventStatus(g, -1));
    OK(clWaitForEvents(3, e + 2)); /* a command that failed has ended */
    CHECK(status_of(e[0]) == FAILED);
    expect(q, 6);
    release(5, e);
    OK(clReleaseEvent(g));
    OK(clReleaseCommandQueue(q));
}

int main(void) {
    cl_int error;
    start(CL_QUEUE_PROFILING_ENABLE);
    add = kernel_of(build(source, ""), "add");
    numbers = buffer(0, sizeof read_back, NULL);
    OK(clSetKernelArg(add, 0, sizeof numbers, &numbers));
    cl_command_queue other = clCreateCommandQueue(context, device, 0, &error);
    OK(error);
    test_chain(other);
    test_commands();
    test_late_arguments();
    test_order();
    OK(clReleaseCommandQueue(other));
    OK(clReleaseMemObject(numbers));
    stop();
    printf("opencl_failed_events: ok\n");
    return 0;
}
