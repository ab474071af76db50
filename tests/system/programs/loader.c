/* loader.c - loads the library named by its first argument at run time, and calls its part_main()
 * with the other arguments. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) return fprintf(stderr, "loader: %s\n", argc > 1 ? dlerror() : "of what?"), 1;
    int (*start)(int, char **);
    *(void **)&start = dlsym(library, "part_main"); /* as POSIX says */
    if (!start) return fprintf(stderr, "loader: no part_main\n"), 1;
    return start(argc - 1, argv + 1);
}
