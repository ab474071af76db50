/* old_call.c - a function of CUDA 11's runtime, linked into a program with CUDA 13's runtime. */
int cudaBindTexture(void);
int cudaBindTexture(void) {
    return 0;
}
