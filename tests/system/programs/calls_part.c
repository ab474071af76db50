/* calls_part.c - calls the library that it was linked with. */
int part_main(int argc, char **argv);

int main(int argc, char **argv) {
    return part_main(argc, argv);
}
