// mesh.h - the mesh of hydro3d on the host: a cube of hexahedra, stored as index lists.
//
// Zones and nodes are numbered in order or at random; kernels use only the lists. Corners of a
// zone: 0 (0,0,0), 1 (1,0,0), 2 (1,1,0), 3 (0,1,0), 4..7 the same at the far z. Corner k of zone z
// has index k * zones + z in all arrays.
#ifndef HEDDLE_APPS_HYDRO3D_MESH_H
#define HEDDLE_APPS_HYDRO3D_MESH_H

#include <numeric>
#include <random>
#include <vector>

enum { CORNERS = 8, FACES = 6, AXES = 3 };
enum { FACE_SYMMETRY = -1, FACE_FREE = -2 }; // in place of a neighbour

struct mesh {
    int size, zones, nodes;              // size: zones along an edge
    std::vector<int> zone_node;          // [CORNERS][zones]
    std::vector<int> zone_face;          // [FACES][zones]: neighbour at -x, +x, -y, +y, -z, +z
    std::vector<int> node_first;         // [nodes + 1] into node_corner
    std::vector<int> node_corner;        // corners at each node, node after node
    std::vector<int> on_plane[AXES];     // nodes with x = 0, y = 0, z = 0
    std::vector<std::vector<int>> region; // zones of each region
    std::vector<int> node_at, zone_at;   // number of the node, the zone at i + j * n + k * n * n
};

// Numbers 0 to count - 1, shuffled if seed is not 0.
static inline std::vector<int> mesh_numbers(int count, long seed) {
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    if (!seed) return order;
    std::mt19937 random((unsigned)seed); // std::shuffle differs between libraries
    for (int i = count - 1; i > 0; i--) std::swap(order[i], order[random() % (unsigned)(i + 1)]);
    return order;
}

static inline int mesh_node(const mesh &m, int i, int j, int k) {
    int n = m.size + 1;
    return m.node_at[i + n * (j + n * k)];
}
static inline int mesh_zone(const mesh &m, int i, int j, int k) {
    return m.zone_at[i + m.size * (j + m.size * k)];
}

// The zone at (i, j, k), or what lies beyond the mesh: symmetry planes at 0, free surfaces at the
// far ends.
static inline int mesh_neighbour(const mesh &m, int i, int j, int k) {
    if (i < 0 || j < 0 || k < 0) return FACE_SYMMETRY;
    if (i == m.size || j == m.size || k == m.size) return FACE_FREE;
    return mesh_zone(m, i, j, k);
}

// Fills the lists of the zone at (i, j, k).
static inline void mesh_zone_lists(mesh &m, int i, int j, int k, int regions) {
    static const int step[CORNERS][AXES] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                            {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    int z = mesh_zone(m, i, j, k);
    for (int c = 0; c < CORNERS; c++)
        m.zone_node[c * m.zones + z] = mesh_node(m, i + step[c][0], j + step[c][1], k + step[c][2]);
    for (int f = 0; f < FACES; f++) {
        int by[AXES] = {0, 0, 0};
        by[f / 2] = f % 2 ? 1 : -1;
        m.zone_face[f * m.zones + z] = mesh_neighbour(m, i + by[0], j + by[1], k + by[2]);
    }
    m.region[(i + j + k) % regions].push_back(z); // symmetric in the axes
}

static inline mesh mesh_make(int size, int regions, long seed) {
    mesh m;
    int n = size + 1;
    m.size = size;
    m.zones = size * size * size;
    m.nodes = n * n * n;
    m.node_at = mesh_numbers(m.nodes, seed);
    m.zone_at = mesh_numbers(m.zones, seed ? seed + 1 : 0);
    m.zone_node.resize(CORNERS * m.zones);
    m.zone_face.resize(FACES * m.zones);
    m.region.resize(regions);
    for (int k = 0; k < size; k++)
        for (int j = 0; j < size; j++)
            for (int i = 0; i < size; i++) mesh_zone_lists(m, i, j, k, regions);

    // corners by node
    m.node_first.assign(m.nodes + 1, 0);
    for (int node : m.zone_node) m.node_first[node + 1]++;
    for (int i = 0; i < m.nodes; i++) m.node_first[i + 1] += m.node_first[i];
    std::vector<int> next(m.node_first.begin(), m.node_first.end() - 1);
    m.node_corner.resize(m.zone_node.size());
    for (int c = 0; c < (int)m.zone_node.size(); c++) m.node_corner[next[m.zone_node[c]]++] = c;

    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            m.on_plane[0].push_back(mesh_node(m, 0, a, b));
            m.on_plane[1].push_back(mesh_node(m, a, 0, b));
            m.on_plane[2].push_back(mesh_node(m, a, b, 0));
        }
    return m;
}

#endif
