/* static_runtime.c - has the section by which Heddle recognises a program that nvcc linked with its
 * static CUDA runtime. */
__attribute__((section(".nv_fatbin"), used)) static const unsigned char device_code[64] = {0};

int main(void) {
    return 0;
}
