/* calls_part.c - calls part_main() of the library that it is linked with (memory.c with the runtime
 * linked in). */
int part_main(int argc, char **argv);

int main(int argc, char **argv) {
    return part_main(argc, argv);
}
