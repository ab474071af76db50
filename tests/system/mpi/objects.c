/* objects.c - datatypes, groups, communicators, topologies, attributes, infos. */
#include "mpi_test.h"

/* Sends elements of one datatype to oneself as those of another. */
static void through(void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                    MPI_Datatype in_type) {
    MPI_Sendrecv(out, out_count, out_type, rank, 1, in, in_count, in_type, rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void vectors(void) {
    int m[10][10], column[10], back[10][10];
    MPI_Datatype type, resized, block;
    MPI_Aint lb, extent;
    int bytes;
    for (int i = 0; i < 100; i++) m[i / 10][i % 10] = i;
    MPI_Type_vector(10, 1, 10, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_size(type, &bytes);
    MPI_Type_get_extent(type, &lb, &extent);
    CHECK(bytes == 40 && lb == 0 && extent == 91 * (int)sizeof(int));
    through(&m[0][3], 1, type, column, 10, MPI_INT);
    for (int i = 0; i < 10; i++) CHECK(column[i] == 10 * i + 3);
    /* columns side by side: a transposed matrix */
    MPI_Type_create_resized(type, 0, sizeof(int), &resized);
    MPI_Type_commit(&resized);
    through(m, 100, MPI_INT, back, 10, resized);
    for (int i = 0; i < 100; i++) CHECK(back[i % 10][i / 10] == i);
    const int sizes[] = {10, 10}, sub[] = {3, 4}, at[] = {2, 5};
    MPI_Type_create_subarray(2, sizes, sub, at, MPI_ORDER_C, MPI_INT, &block);
    MPI_Type_commit(&block);
    int got[12];
    through(m, 1, block, got, 12, MPI_INT);
    for (int i = 0; i < 12; i++) CHECK(got[i] == (2 + i / 4) * 10 + 5 + i % 4);
    int integers, addresses, types, combiner, contents[8];
    MPI_Datatype inner;
    MPI_Type_get_envelope(block, &integers, &addresses, &types, &combiner);
    CHECK(integers == 8 && addresses == 0 && types == 1 && combiner == MPI_COMBINER_SUBARRAY);
    MPI_Type_get_contents(block, 8, 0, 1, contents, NULL, &inner);
    CHECK(contents[0] == 2 && contents[3] == 3 && contents[6] == 5 && inner == MPI_INT);
    MPI_Type_free(&type);
    MPI_Type_free(&resized);
    MPI_Type_free(&block);
    CHECK(type == MPI_DATATYPE_NULL);
}

struct particle {
    char kind;
    double at[3];
    int id;
};

static void structs(void) {
    struct particle out[5] = {{0}}, in[5];
    const int lengths[] = {1, 3, 1};
    MPI_Aint at[3], base;
    MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT}, type;
    MPI_Get_address(&out[0], &base);
    MPI_Get_address(&out[0].kind, &at[0]);
    MPI_Get_address(&out[0].at, &at[1]);
    MPI_Get_address(&out[0].id, &at[2]);
    for (int i = 0; i < 3; i++) at[i] -= base;
    MPI_Type_create_struct(3, lengths, at, types, &type);
    MPI_Type_commit(&type);
    MPI_Aint lb, extent;
    int bytes, position = 0, count;
    MPI_Type_size(type, &bytes);
    MPI_Type_get_extent(type, &lb, &extent);
    CHECK(bytes == 29 && extent == (MPI_Aint)sizeof(struct particle));
    memset(in, 0, sizeof in);
    for (int i = 0; i < 5; i++)
        out[i] = (struct particle){(char)('a' + i), {i, i * 2.0, i * 3.0}, i * 100};
    MPI_Request r;
    MPI_Status status;
    MPI_Isend(out, 5, type, rank, 2, MPI_COMM_WORLD, &r);
    MPI_Recv(in, 5, type, rank, 2, MPI_COMM_WORLD, &status);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < 5; i++)
        CHECK(in[i].kind == 'a' + i && in[i].at[2] == i * 3.0 && in[i].id == i * 100);
    MPI_Get_count(&status, type, &count);
    CHECK(count == 5);
    MPI_Get_elements(&status, type, &count);
    CHECK(count == 25);
    char packed[200];
    MPI_Pack_size(5, type, MPI_COMM_WORLD, &bytes);
    CHECK(bytes >= 145 && bytes <= 200);
    MPI_Pack(out, 5, type, packed, sizeof packed, &position, MPI_COMM_WORLD);
    MPI_Pack(&size, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
    CHECK(position == 149);
    int got;
    position = 0;
    memset(in, 0, sizeof in);
    MPI_Unpack(packed, 149, &position, in, 5, type, MPI_COMM_WORLD);
    MPI_Unpack(packed, 149, &position, &got, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(got == size && in[4].id == 400 && position == 149);
    MPI_Type_free(&type);
    const int indexed_lengths[] = {2, 1}, indexed_at[] = {3, 0};
    int values[6] = {0, 1, 2, 3, 4, 5}, three[3];
    MPI_Type_indexed(2, indexed_lengths, indexed_at, MPI_INT, &type);
    MPI_Type_commit(&type);
    through(values, 1, type, three, 3, MPI_INT);
    CHECK(three[0] == 3 && three[1] == 4 && three[2] == 0);
    MPI_Type_free(&type);
}

static void communicators(void) {
    MPI_Comm half, copy, alone, odd;
    MPI_Group world, group;
    int r, n, result, value;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_rank(half, &r);
    MPI_Comm_size(half, &n);
    CHECK(n == (size + 1 - rank % 2) / 2 && r == n - 1 - rank / 2);
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
    int expected = 0;
    for (int i = rank % 2; i < size; i += 2) expected += i;
    CHECK(sum == expected);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_compare(copy, MPI_COMM_WORLD, &result);
    CHECK(result == MPI_CONGRUENT);
    /* the same tag in two communicators */
    MPI_Request q[2];
    int a = -1, b = -1, one = 1, two = 2;
    MPI_Irecv(&a, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &q[0]);
    MPI_Irecv(&b, 1, MPI_INT, rank, 3, copy, &q[1]);
    MPI_Send(&two, 1, MPI_INT, rank, 3, copy);
    MPI_Send(&one, 1, MPI_INT, rank, 3, MPI_COMM_WORLD);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    CHECK(a == 1 && b == 2);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &alone);
    MPI_Comm_size(alone, &n);
    CHECK(n == 1);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int evens[32], ranks[32];
    for (int i = 0; i < (size + 1) / 2; i++) evens[i] = 2 * i;
    MPI_Group_incl(world, (size + 1) / 2, evens, &group);
    MPI_Group_rank(group, &r);
    CHECK(r == (rank % 2 ? MPI_UNDEFINED : rank / 2));
    const int first = 0;
    MPI_Group_translate_ranks(group, 1, &first, world, ranks);
    CHECK(ranks[0] == 0);
    MPI_Comm_create(MPI_COMM_WORLD, group, &odd);
    CHECK((odd == MPI_COMM_NULL) == (rank % 2 == 1));
    if (odd != MPI_COMM_NULL) {
        value = rank == 0 ? 5 : 0;
        MPI_Bcast(&value, 1, MPI_INT, 0, odd);
        CHECK(value == 5);
        MPI_Comm_free(&odd);
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 9, &odd);
        MPI_Barrier(odd);
        MPI_Comm_free(&odd);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&alone);
    CHECK(copy == MPI_COMM_NULL);
}

static void topologies(void) {
    int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], r, n, source, target;
    MPI_Comm grid, row;
    MPI_Dims_create(size, 2, dims);
    CHECK(dims[0] * dims[1] == size && dims[0] >= dims[1]);
    int twelve[3] = {0, 0, 0};
    MPI_Dims_create(12, 3, twelve);
    CHECK(twelve[0] == 3 && twelve[1] == 2 && twelve[2] == 2);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    MPI_Comm_rank(grid, &r);
    MPI_Cart_coords(grid, r, 2, coords);
    CHECK(coords[0] * dims[1] + coords[1] == r);
    MPI_Cart_shift(grid, 0, 1, &source, &target);
    CHECK(target == (coords[0] + 1) % dims[0] * dims[1] + coords[1]);
    MPI_Cart_shift(grid, 1, 1, &source, &target);
    CHECK(target == (coords[1] + 1 < dims[1] ? r + 1 : MPI_PROC_NULL));
    CHECK(source == (coords[1] > 0 ? r - 1 : MPI_PROC_NULL));
    int got = -1;
    MPI_Sendrecv(&r, 1, MPI_INT, target, 4, &got, 1, MPI_INT, source, 4, grid, MPI_STATUS_IGNORE);
    CHECK(got == (source == MPI_PROC_NULL ? -1 : source));
    const int remain[] = {0, 1};
    MPI_Cart_sub(grid, remain, &row);
    MPI_Comm_size(row, &n);
    CHECK(n == dims[1]);
    int kind;
    MPI_Topo_test(row, &kind);
    CHECK(kind == MPI_CART);
    MPI_Topo_test(MPI_COMM_WORLD, &kind);
    CHECK(kind == MPI_UNDEFINED);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
}

static int copied, deleted;

static int copy_value(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag) {
    (void)comm, (void)key;
    copied += *(int *)extra;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_value(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm, (void)key, (void)value;
    deleted += *(int *)extra;
    return MPI_SUCCESS;
}

static void attributes(void) {
    int key, flag, one = 1, *value, word = 42;
    MPI_Comm copy;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    CHECK(flag && *value >= 32767);
    MPI_Comm_create_keyval(copy_value, delete_value, &key, &one);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &word);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_get_attr(copy, key, &value, &flag);
    CHECK(flag && *value == 42 && copied == 1);
    MPI_Comm_free(&copy);
    CHECK(deleted == 1);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
    CHECK(deleted == 2 && !flag);
    MPI_Comm_free_keyval(&key);
    CHECK(key == MPI_KEYVAL_INVALID);
    MPI_Info info;
    char text[20];
    int count;
    MPI_Info_create(&info);
    MPI_Info_set(info, "a", "1");
    MPI_Info_set(info, "b", "2");
    MPI_Info_set(info, "a", "3");
    MPI_Info_get_nkeys(info, &count);
    MPI_Info_get(info, "a", 19, text, &flag);
    CHECK(count == 2 && flag && strcmp(text, "3") == 0);
    MPI_Info_delete(info, "a");
    MPI_Info_get(info, "a", 19, text, &flag);
    CHECK(!flag);
    MPI_Info_free(&info);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
}

static int handled;

static void handler(MPI_Comm *comm, int *error, ...) {
    handled = *error;
    CHECK(*comm == MPI_COMM_WORLD);
}

static void handlers(void) {
    MPI_Errhandler own, old;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &old);
    CHECK(old == MPI_ERRORS_ARE_FATAL);
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    MPI_Errhandler_free(&own);
    CHECK(MPI_Send(NULL, 0, MPI_INT, size + 3, 0, MPI_COMM_WORLD) == MPI_ERR_RANK);
    CHECK(handled == MPI_ERR_RANK);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, old);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    vectors();
    structs();
    communicators();
    topologies();
    attributes();
    handlers();
    return end();
}
