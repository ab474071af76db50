/* old_call.c - a function of CUDA 11's runtime, beside one of CUDA 13. */
int cudaBindTexture(void);
int cudaBindTexture(void) {
    return 0;
}
