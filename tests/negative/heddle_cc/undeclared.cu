// Device code that does not compile.
__global__ void good(float *a) { a[0] = 1.0f; }
__global__ void wrong(float *a) { a[0] = a[1] + nothing; }
