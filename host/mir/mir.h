/* mir.h - MIR, the only machine language inside Heddle: shaped like SASS, made by the front end
 * (ptx/), run by the executor (exec/), turned into timing packets (feed/).
 *
 * A thread has 32-bit registers R0..R254 (RZ reads 0, writes vanish), predicates P0..P6 (PT reads
 * true, writes vanish), convergence barriers B0..B15 (per warp), and constant banks. 64-bit values
 * live in even-aligned register pairs (low word first), 128-bit ones in quads aligned to four.
 * tables/mir_ops.def says what each operation does.
 *
 * Everything here is plain data, owned by its mir_module and read-only once the module is built, so
 * threads may share it. The functions below change nothing, except mir_module_free and
 * mir_print_inst's buffer; any thread may call them. */
#ifndef HEDDLE_MIR_MIR_H
#define HEDDLE_MIR_MIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* Long lists of names are packed into rows, which clang-format would undo. */
/* clang-format off */

/* Numbers with a meaning of their own, and sizes of the machine. */
enum {
    MIR_RZ = 255,          /* register: reads zero */
    MIR_PT = 7,            /* predicate: reads true */
    MIR_PNOT = 8,          /* flag beside a predicate number: negated */
    MIR_MAX_SRC = 3,       /* source operands of an instruction */
    MIR_NUM_BARRIERS = 6,  /* dependency barriers SB0..SB5 of a warp */
    MIR_NO_BARRIER = 7,    /* in wbar, rbar: none */
    MIR_NUM_CONVERGENCE = 16, /* convergence barriers of a warp */
    MIR_WARP_SIZE = 32,
};

/* Constant bank 0, filled by each launch: byte offsets of 32-bit words. NTID is the size of a CTA
 * in threads, NCTAID that of the grid in CTAs. Parameters begin where Volta's do; the rest of the
 * layout is Heddle's own. */
enum {
    MIR_C0_NTID_X = 0x00, MIR_C0_NTID_Y = 0x04, MIR_C0_NTID_Z = 0x08,
    MIR_C0_NCTAID_X = 0x0c, MIR_C0_NCTAID_Y = 0x10, MIR_C0_NCTAID_Z = 0x14,
    MIR_C0_DYNAMIC_SHARED = 0x18, /* bytes of dynamic shared memory */
    MIR_C0_TOTAL_SHARED = 0x1c,   /* static + dynamic bytes */
    MIR_C0_GRIDID = 0x20,         /* 64 bit */
    MIR_C0_WORKSPACE = 0x28,      /* 64 bit: for grid-wide barriers of a cooperative launch */
    MIR_C0_SHMEM = 0x30,          /* 64 bit: address of the PE's struct heddle_shmem_state, or 0 */
    MIR_C0_SHMEM_PE = 0x38,       /* the PE's number */
    MIR_C0_PARAMS = 0x160,
    MIR_C0_SIZE = 0x160 + 32764,
};
enum { MIR_LITERAL_BYTES = 4096 }; /* most of MIR_BANK_LITERAL */
/* Constant banks. */
enum {
    MIR_BANK_LAUNCH = 0,  /* the words above and the kernel parameters */
    MIR_BANK_LITERAL = 2, /* doubles of the kernel's code that no immediate can hold */
    MIR_BANK_USER = 3,    /* .const variables of the module */
    MIR_BANK_ADDRESS = 4, /* 64-bit addresses of .global variables and functions, by symbol index */
    MIR_BANK_TEXTURE = 5, /* 64-bit handles that texture and surface references are bound to */
    MIR_NUM_BANKS = 6,
};

/* A generic address with the upper 32 bits of one of these lies in shared or local memory; all
 * others are global. (Device memory is mapped at 0x7e80_0000_0000.) */
#define MIR_SHARED_WINDOW UINT64_C(0x00007e7000000000)
#define MIR_LOCAL_WINDOW UINT64_C(0x00007e7100000000)

/* Operations. */
typedef enum mir_op {
#define OP(id, ...) MIR_##id,
#include "tables/mir_ops.def"
#undef OP
    MIR_OP_COUNT
} mir_op;

/* Execution pipe: the unit to which an instruction is issued. */
typedef enum mir_pipe {
    MIR_PIPE_INT, MIR_PIPE_FP32, MIR_PIPE_FP64, MIR_PIPE_FP16, MIR_PIPE_SFU, MIR_PIPE_TENSOR,
    MIR_PIPE_UNIFORM, MIR_PIPE_BRANCH, MIR_PIPE_SREG, MIR_PIPE_MIO, MIR_PIPE_NONE,
    MIR_PIPE_COUNT
} mir_pipe;

/* Latency class: pipe, initiation interval and latency come from the GPU's configuration. */
typedef enum mir_class {
#define CLASS(id, pipe, variable, param, text) MIR_CLASS_##id,
#include "tables/mir_classes.def"
#undef CLASS
    MIR_CLASS_COUNT
} mir_class;

/* Slow paths of division and square root: subroutines of NVIDIA's compiler (mir_slow.h). */
typedef enum mir_slow {
#define SLOW(id, op, sub, meaning) MIR_SLOW_##id,
#include "tables/slow_paths.def"
    MIR_SLOW_COUNT
} mir_slow;

/* Categories of the instruction mix. */
typedef enum mir_mix {
#define MIX(id, name, meaning) MIR_MIX_##id,
#include "tables/mir_kinds.def"
    MIR_MIX_COUNT
} mir_mix;

/* Operations that rooflines count. */
typedef enum mir_operation {
#define OPERATION(id, name, unit, meaning) MIR_OPERATION_##id,
#include "tables/mir_kinds.def"
    MIR_OPERATION_COUNT,
    MIR_OPERATION_NONE = MIR_OPERATION_COUNT
} mir_operation;

/* What the executor counts instructions by: each kind has a category and an operation. */
typedef enum mir_kind {
#define KIND(id, mix, operation, weight) MIR_KIND_##id,
#include "tables/mir_kinds.def"
    MIR_KIND_COUNT
} mir_kind;

/* Base memory class of an operation; mir_memory_class() adds what the modifiers say. */
typedef enum mir_mem {
    MIR_MEM_NONE,
    MIR_MEM_LOAD,   /* ahead when weak, pending when strong */
    MIR_MEM_STORE,  /* ahead when weak, posted when strong */
    MIR_MEM_RED,    /* posted */
    MIR_MEM_ATOM,   /* pending */
    MIR_MEM_SYS,    /* system call; timed as an atomic on a word that the executor chooses */
    MIR_MEM_CLOCK,  /* pending, performed at issue */
    MIR_MEM_FENCE,
    MIR_MEM_BARRIER,
} mir_mem;

/* Traits of an operation beyond its class; a column of mir_ops.def. */
enum mir_trait {
    MIR_PLAIN = 0,
    MIR_COMMUTES = 1 << 0,        /* a and b may be exchanged */
    MIR_TERMINATOR = 1 << 1,      /* ends a block: a branch, or the end of threads */
    MIR_CALLS = 1 << 2,           /* calls a subroutine */
    MIR_TARGET = 1 << 3,          /* imm is the index of an instruction */
    MIR_CONVERGENCE = 1 << 4,     /* acts on convergence barriers, or reconverges lanes */
    MIR_BARRIER_SUB = 1 << 5,     /* sub is the number of a convergence barrier */
    MIR_EXCHANGE = 1 << 6,        /* lanes see each other's values, or which lanes are active */
    MIR_DIVERGENT = 1 << 7,       /* lanes may get different results from equal sources */
    MIR_PAUSE = 1 << 8,           /* lets other lanes or warps go first */
    MIR_EFFECT = 1 << 9,          /* must stay even if its results are unused */
    MIR_ALL_PREDICATES = 1 << 10, /* reads or writes P0..P6 without naming them */
    MIR_SLOW_PATH = 1 << 11,      /* stands for a subroutine of slow_paths.def */
    MIR_REFETCH = 1 << 12,        /* the warp issues nothing for MIR_BRANCH_STALL cycles */
};

/* Which sources may be immediates or constants, one at most except for LANES; a column of
 * mir_ops.def. */
typedef enum mir_constants {
    MIR_CONST_NO,
    MIR_CONST_ANY,
    MIR_CONST_BC,       /* b or c */
    MIR_CONST_LANES,    /* b and c, immediates */
    MIR_CONST_HANDLE_A, /* a, from a constant bank */
    MIR_CONST_HANDLE_B, /* b, likewise */
} mir_constants;

/* Types of values; those of 8 and 16 bits occupy a whole register. */
typedef enum mir_type {
    MIR_TYPE_NONE,
    MIR_U8, MIR_S8, MIR_U16, MIR_S16, MIR_U32, MIR_S32, MIR_U64, MIR_S64, MIR_B128,
    MIR_F16, MIR_F16X2, MIR_BF16, MIR_BF16X2, MIR_TF32, MIR_F32, MIR_F64,
} mir_type;
static inline bool mir_type_is_float(mir_type t) {
    return t >= MIR_F16 && t <= MIR_F64;
}

typedef enum mir_cmp { /* ordered comparisons, then unordered (true when an operand is NaN) */
    MIR_CMP_F, MIR_CMP_LT, MIR_CMP_EQ, MIR_CMP_LE, MIR_CMP_GT, MIR_CMP_NE, MIR_CMP_GE, MIR_CMP_NUM,
    MIR_CMP_NAN, MIR_CMP_LTU, MIR_CMP_EQU, MIR_CMP_LEU, MIR_CMP_GTU, MIR_CMP_NEU, MIR_CMP_GEU,
    MIR_CMP_T,
} mir_cmp;
typedef enum mir_bool { MIR_AND, MIR_OR, MIR_XOR } mir_bool; /* combines predicates */
enum { MIR_DSETP_MIN = 1, MIR_DSETP_MAX = 2 }; /* sub of DSETP: no comparison, but a choice */
typedef enum mir_round { /* of floats; NEAREST: ties to even */
    MIR_ROUND_NEAREST, MIR_ROUND_ZERO, MIR_ROUND_DOWN, MIR_ROUND_UP,
} mir_round;
typedef enum mir_space { /* address space of a memory operation */
    MIR_SPACE_GENERIC, MIR_SPACE_GLOBAL, MIR_SPACE_SHARED, MIR_SPACE_LOCAL, MIR_SPACE_CONST,
} mir_space;
typedef enum mir_sem { /* memory semantics of a load, store, atomic or fence */
    MIR_WEAK, MIR_VOLATILE, MIR_RELAXED, MIR_ACQUIRE, MIR_RELEASE, MIR_ACQ_REL, MIR_SC,
} mir_sem;
typedef enum mir_scope { MIR_SCOPE_CTA, MIR_SCOPE_CLUSTER, MIR_SCOPE_GPU, MIR_SCOPE_SYS } mir_scope;
typedef enum mir_cache { /* PTX cache operator */
    MIR_CACHE_CA, MIR_CACHE_CG, MIR_CACHE_CS, MIR_CACHE_LU, MIR_CACHE_CV, MIR_CACHE_WB,
    MIR_CACHE_WT, MIR_CACHE_NC,
} mir_cache;
typedef enum mir_atom { /* sub of atomics, reductions and REDUX */
    MIR_ATOM_ADD, MIR_ATOM_MIN, MIR_ATOM_MAX, MIR_ATOM_INC, MIR_ATOM_DEC, MIR_ATOM_AND,
    MIR_ATOM_OR, MIR_ATOM_XOR, MIR_ATOM_EXCH, MIR_ATOM_CAS,
} mir_atom;
typedef enum mir_mufu { /* sub of MUFU: its function; ...64H: on the high word of a double */
    MIR_MUFU_RCP, MIR_MUFU_RSQ, MIR_MUFU_SQRT, MIR_MUFU_LG2, MIR_MUFU_EX2, MIR_MUFU_SIN,
    MIR_MUFU_COS, MIR_MUFU_TANH, MIR_MUFU_RCP64H, MIR_MUFU_RSQ64H,
} mir_mufu;
/* sub of SHFL: how the source lane is chosen. */
typedef enum mir_shfl { MIR_SHFL_IDX, MIR_SHFL_UP, MIR_SHFL_DOWN, MIR_SHFL_BFLY } mir_shfl;
typedef enum mir_vote { MIR_VOTE_ALL, MIR_VOTE_ANY, MIR_VOTE_EQ } mir_vote; /* dst: ballot */
typedef enum mir_trap { MIR_TRAP_PLAIN, MIR_TRAP_STACK } mir_trap; /* sub of TRAP */
/* sub of SYS: the function of CUDA's device library that it performs. */
typedef enum mir_sys { MIR_SYS_PRINTF, MIR_SYS_ASSERT, MIR_SYS_MALLOC, MIR_SYS_FREE } mir_sys;
/* sub of BAR: wait, arrive only, or wait and reduce a predicate over the CTA. */
typedef enum mir_bar { MIR_BAR_SYNC, MIR_BAR_ARV, MIR_BAR_RED_POPC, MIR_BAR_RED_AND,
    MIR_BAR_RED_OR } mir_bar;
enum { /* sub of matrix products */
    MIR_MMA_8_ROWS = 1, MIR_MMA_XOR = 2, MIR_MMA_AND = 4, /* IMMA */
    MIR_LDSM_MATRICES = 7, MIR_LDSM_TRANSPOSED = 8,        /* mask of their number; LDSM */
    MIR_884_A_COLUMNS = 2, MIR_884_B_COLUMNS = 4, MIR_884_STEP = 4 /* shift; HMMA884 */
};
typedef enum mir_tex { /* geometry of a texture or surface access; A: layered, layer number first */
    MIR_TEX_1D, MIR_TEX_2D, MIR_TEX_3D, MIR_TEX_A1D, MIR_TEX_A2D, MIR_TEX_CUBE, MIR_TEX_ACUBE,
} mir_tex;
enum { /* sub of TEX, TLD4, SULD, SUST */
    MIR_TEX_GEOMETRY = 7, MIR_TEX_LOD = 8, MIR_TEX_COMPONENT = 4 /* shift */,
    MIR_SURF_MODE = 3 /* shift */, MIR_SURF_FORMATTED = 32,
};
/* What a surface access outside of the surface does. */
typedef enum mir_surf { MIR_SURF_TRAP, MIR_SURF_CLAMP, MIR_SURF_ZERO } mir_surf;
typedef enum mir_txq { /* sub of TXQ: the property that it reads */
    MIR_TXQ_WIDTH, MIR_TXQ_HEIGHT, MIR_TXQ_DEPTH, MIR_TXQ_DATA_TYPE, MIR_TXQ_ORDER,
    MIR_TXQ_NORMALIZED, MIR_TXQ_LAYERS, MIR_TXQ_LEVELS, MIR_TXQ_SAMPLES, MIR_TXQ_FILTER,
    MIR_TXQ_ADDRESS_0, MIR_TXQ_ADDRESS_1, MIR_TXQ_ADDRESS_2, MIR_TXQ_LAYOUT,
    MIR_TXQ_KIND, /* 0: no object, 1 texture, 2 surface */
} mir_txq;
typedef enum mir_sreg { /* sub of S2R and CS2R: the special register that it reads */
    MIR_SR_TID_X, MIR_SR_TID_Y, MIR_SR_TID_Z, MIR_SR_CTAID_X, MIR_SR_CTAID_Y, MIR_SR_CTAID_Z,
    MIR_SR_LANEID, MIR_SR_WARPID, MIR_SR_NWARPID, MIR_SR_SMID, MIR_SR_NSMID, MIR_SR_GRIDID,
    MIR_SR_LANEMASK_EQ, MIR_SR_LANEMASK_LT, MIR_SR_LANEMASK_LE, MIR_SR_LANEMASK_GT,
    MIR_SR_LANEMASK_GE, MIR_SR_CLOCK_LO, MIR_SR_CLOCK_HI, MIR_SR_CLOCK64, MIR_SR_GLOBALTIMER,
    MIR_SR_COUNT
} mir_sreg;

/* Kind of a source operand. */
typedef enum mir_src_kind { MIR_SRC_NONE, MIR_SRC_REG, MIR_SRC_IMM, MIR_SRC_CONST } mir_src_kind;
enum { /* modifiers of a source operand */
    MIR_SRC_NEG = 1, /* arithmetic negation: integer two's complement or float sign flip */
    MIR_SRC_ABS = 2, /* absolute value, before NEG */
    MIR_SRC_NOT = 4, /* bitwise complement */
};
/* A source operand. */
struct mir_src {
    uint8_t kind;   /* mir_src_kind */
    uint8_t reg;    /* MIR_SRC_REG: number, the first one of a pair or quad */
    uint8_t mods;   /* MIR_SRC_NEG | ABS | NOT */
    uint8_t bank;   /* MIR_SRC_CONST: bank */
    uint32_t value; /* MIR_SRC_IMM: bits (64-bit operands: for f64 the high word, low word 0; else
                     * extended as the type says); CONST: byte offset */
};

enum { /* flags of an instruction; mir_ops.def says which operation reads which */
    MIR_FTZ = 1 << 0,   /* flush subnormal inputs and results to zero */
    MIR_SAT = 1 << 1,   /* clamp to [0, 1] (float) or to the type's range (integer) */
    MIR_X = 1 << 2,     /* takes carries from psrc */
    MIR_HI = 1 << 3,    /* high word of the result */
    MIR_WIDE = 1 << 4,  /* 64-bit result */
    MIR_EX = 1 << 5,    /* upper half of a 64-bit comparison, psrc[1] is the lower half's */
    MIR_RIGHT = 1 << 6, /* shift right (SHF) */
    MIR_WRAP = 1 << 7,  /* shift amount modulo width (else clamped) */
    MIR_ADDR64 = 1 << 8,/* memory: the address register is a pair (global, generic) */
    MIR_LOCKED = 1 << 9,/* store: its lines are pinned in L2 (docs/timing-model.md, rule 9) */
    MIR_IF = 1 << 10,   /* guarded in place of a branch: ptx_count holds if a lane executes it */
    MIR_WHOLE = 1 << 11,/* BAR: executed for all threads of a warp at once (.aligned) */
    MIR_SPILL = 1 << 12,/* LDL, STL: of a register for which there was no room */
};

/* An instruction. */
struct mir_inst {
    uint16_t op;               /* mir_op */
    uint8_t guard;             /* predicate | MIR_PNOT; MIR_PT: always */
    uint8_t dst;               /* first destination register, MIR_RZ: none */
    uint8_t pdst[2];           /* predicate destinations, MIR_PT: none */
    uint8_t psrc[3];           /* predicate sources | MIR_PNOT, MIR_PT: unused */
    uint8_t type, type2;       /* mir_type: of the operation; of the source of a conversion */
    uint8_t cmp, bop, round;   /* mir_cmp, mir_bool, mir_round */
    uint8_t sub;               /* LUT, shift count, mir_mufu, mir_shfl, mir_vote, mir_atom, ... */
    uint8_t space, sem, scope, cache; /* mir_space, mir_sem, mir_scope, mir_cache */
    uint8_t width;             /* memory: bytes per thread, 1 2 4 8 16 */
    uint16_t flags;
    struct mir_src src[MIR_MAX_SRC];
    int32_t imm;               /* memory: offset; branch: target index; barriers: number */
    /* control information, as on Volta */
    uint8_t stall;             /* cycles until the warp may issue again, 0..15 */
    uint8_t yield;             /* 1: do not prefer this warp next */
    uint8_t wbar, rbar;        /* dependency barrier set on write / read, MIR_NO_BARRIER: none */
    uint8_t wait;              /* mask of dependency barriers to wait for before issue */
    uint8_t reuse;             /* bit i: keep source i in the reuse cache */
    uint16_t ptx_count;        /* PTX instructions this one stands for */
    uint16_t special;          /* tag of a special operation (mir_special.h), 0: none */
    uint32_t ptx_line;         /* line in the PTX text */
    uint32_t loc;              /* (file << 20 | line) of the last .loc, 0: none */
};

/* A kernel parameter: bytes, offset from MIR_C0_PARAMS. */
struct mir_param { uint32_t offset, size, align; };
enum {
    MIR_INST_BYTES = 16, /* of an instruction in memory, since Volta */
    MIR_CODE_LINE = 8,   /* instructions in a line of the instruction caches */
};
/* Stall counts, cycles: the largest; the largest that works without yield; that of branches, calls
 * and returns. */
enum { MIR_MOST_STALL = 15, MIR_YIELD_ABOVE = 11, MIR_BRANCH_STALL = 5 };

/* A kernel. */
struct mir_function {
    const char *name;          /* as in PTX (mangled) */
    struct mir_inst *code;     /* [num_inst]; NULL: not compiled yet (mir_module_compile()), and all
                                * below is zero */
    uint32_t num_inst;
    uint32_t num_regs;         /* registers per thread that occupancy counts */
    uint32_t shared_bytes;     /* static shared memory per CTA */
    uint32_t local_bytes;      /* local memory per thread */
    uint32_t spill_bytes;      /* part of local_bytes that holds spilled registers */
    uint32_t param_bytes;      /* of all parameters, gaps included */
    uint32_t num_params;
    struct mir_param *params;  /* [num_params] */
    uint32_t num_barriers;     /* highest CTA barrier number + 1 */
    uint32_t max_threads;      /* threads per CTA by .maxntid, 0: none */
    uint32_t reqntid[3];       /* .reqntid, 0: none */
    uint32_t min_ctas;         /* .minnctapersm, 0: none */
    uint32_t file_base;        /* byte offset of instruction 0 in the module's code space */
    uint32_t slow_inst;        /* instructions of the slow paths behind it (mir_slow.h) */
    uint32_t slow_at[MIR_SLOW_COUNT]; /* index of the first instruction of each of those */
    uint64_t *literals;        /* [num_literals] MIR_BANK_LITERAL */
    uint32_t num_literals;
    uint16_t *special;         /* [num_special] forms of the special operations (mir_special.h) */
    uint32_t num_special;
};

/* A module-scope variable. */
struct mir_symbol {
    const char *name;
    uint8_t space;             /* MIR_SPACE_GLOBAL or MIR_SPACE_CONST */
    uint32_t align;
    uint64_t size;             /* bytes */
    const uint8_t *init;       /* size bytes, or NULL: zeros */
    uint64_t offset;           /* CONST: byte offset in MIR_BANK_USER */
    uint32_t address_slot;     /* 8-byte slot in MIR_BANK_ADDRESS for its address in device memory,
                                * UINT32_MAX: none (most CONST symbols) */
};
/* Patch after placement: write the 64-bit address of symbol `target` + addend at `offset` of
 * symbol `where`. */
struct mir_reloc { uint32_t where, target; uint64_t offset; int64_t addend; };
/* A .texref or .surfref: its handle lies at 8 * its number in MIR_BANK_TEXTURE. */
struct mir_texref { const char *name; bool surface; };

/* What kernels are compiled from when they are first used. Front ends make it, and embed it. */
struct mir_source {
    /* Fills in kernel number i, which has no code yet. */
    heddle_err (*compile)(struct mir_source *source, uint32_t i, struct heddle_diag *diag);
    void (*free)(struct mir_source *source);
};

/* A text that modules, and what outlives them, share. */
struct mir_text { unsigned users; size_t bytes; char *text; /* with a 0 behind it */ };
/* A copy of text[0..bytes), for one user. */
struct mir_text *mir_text_create(const char *text, size_t bytes);
struct mir_text *mir_text_share(struct mir_text *t); /* another user; accepts and returns NULL */
void mir_text_release(struct mir_text *t);           /* one user less; accepts NULL */

/* A PTX module. */
struct mir_module {
    const char *name;
    struct mir_text *text;     /* that it was made of; a user of it. NULL: of none */
    uint32_t ptx_version, target; /* 60 = PTX 6.0; 70 = sm_70 */
    uint32_t num_functions, num_symbols, num_relocs, num_files, num_texrefs;
    struct mir_function *functions;
    struct mir_symbol *symbols;
    struct mir_reloc *relocs;
    struct mir_texref *texrefs;
    const char **files;        /* .file table, index = file number */
    uint32_t const_bytes;      /* size of MIR_BANK_USER */
    uint32_t address_slots;    /* 8-byte words of MIR_BANK_ADDRESS */
    void *arena;               /* owns all of the above */
    struct mir_source *source; /* owned; NULL: all kernels are compiled */
    bool (*give_up)(void *user); /* asked now and then by mir_module_compile(); true: it stops.
                                  * NULL: never */
    void *give_up_user;
};

/* Compiles kernel number i, if it has no code yet. Kernels lie in the module's code space in the
 * order of their compilation. Other threads may execute kernels that are compiled. @return an error
 * of the front end, explained in diag, or HEDDLE_ERR_STOPPED; the kernel has no code then. */
heddle_err mir_module_compile(struct mir_module *m, uint32_t i, struct heddle_diag *diag);
/* Frees the module and everything in it. Accepts NULL. */
void mir_module_free(struct mir_module *m);

/* What the sources of an operation are, and how many registers it writes where that number varies;
 * columns of mir_ops.def. */
enum mir_numbers {
    MIR_NUMBERS_INT, MIR_NUMBERS_INT2, MIR_NUMBERS_F32, MIR_NUMBERS_F64, MIR_NUMBERS_FLOAT,
    MIR_NUMBERS_FLOAT2, MIR_NUMBERS_ADDRESS, MIR_NUMBERS_TEXTURE,
};
enum { MIR_DST_DATA = 5, MIR_DST_TYPE = 6, MIR_OWN = 15 };

/* Properties of an operation: its row of the table. */
struct mir_op_row {
    const char *name;
    uint8_t cls, mem, dst, sources, numbers, constants; /* mir_class, mir_mem, ... */
    uint16_t traits;                                    /* of enum mir_trait */
};
extern const struct mir_op_row mir_op_rows[MIR_OP_COUNT];
static inline mir_class mir_op_class(mir_op op) { return (mir_class)mir_op_rows[op].cls; }
static inline mir_mem mir_op_mem(mir_op op) { return (mir_mem)mir_op_rows[op].mem; }
static inline unsigned mir_op_traits(mir_op op) { return mir_op_rows[op].traits; }
static inline mir_constants mir_op_constants(mir_op op) {
    return (mir_constants)mir_op_rows[op].constants;
}
/* @return the largest number of sources that the operation uses. */
static inline unsigned mir_op_sources(mir_op op) { return mir_op_rows[op].sources; }
/* @return operand a and imm form an address. Textures and surfaces have coordinates instead. */
static inline bool mir_op_has_address(mir_op op) {
    return mir_op_rows[op].numbers == MIR_NUMBERS_ADDRESS && op != MIR_LDC;
}
/* Mnemonic, as in SASS. */
const char *mir_op_name(mir_op op);
/* Kind of the instructions of a class, and of one instruction. */
mir_kind mir_class_kind(mir_class c);
mir_kind mir_inst_kind(const struct mir_inst *i);
const char *mir_mix_name(mir_mix m);             /* as in report.json */
const char *mir_operation_name(mir_operation o); /* as in report.json */
/* Of a count of thread instructions for each kind: @return their sum, those of a category, and the
 * operations that they perform. */
uint64_t mir_all_kinds(const uint64_t count[MIR_KIND_COUNT]);
uint64_t mir_mix_count(const uint64_t count[MIR_KIND_COUNT], mir_mix m);
uint64_t mir_operation_count(const uint64_t count[MIR_KIND_COUNT], mir_operation o);
mir_pipe mir_class_pipe(mir_class c);
bool mir_class_variable(mir_class c); /* completes through a dependency barrier */
/* @return the class reads its operands through the ports of the register file at issue. Classes
 * that wait in a queue after issue read them there. */
bool mir_class_ports(mir_class c);

/* How a memory operation takes effect: at once when the executor runs it (ahead), when the timing
 * model serves it while the warp runs on (posted), or then with a result that the warp needs
 * (pending). */
typedef enum mir_memory_class { MIR_AHEAD, MIR_POSTED, MIR_PENDING } mir_memory_class_t;
mir_memory_class_t mir_memory_class(const struct mir_inst *inst);

/* The type of the sources if they are floats: MIR_F32, MIR_F16X2, ... It says where their signs
 * are, and that an immediate is the high word of a double. MIR_TYPE_NONE: integers or bits. */
mir_type mir_source_float(const struct mir_inst *inst);

/* Number of registers that the instruction writes from inst->dst on, and reads from the register of
 * operand i on; 0: none, RZ, or not a register. */
unsigned mir_dst_words(const struct mir_inst *inst);
unsigned mir_src_words(const struct mir_inst *inst, unsigned i);
/* 32-bit words that operand i takes in registers, whatever its kind. */
unsigned mir_operand_words(const struct mir_inst *inst, unsigned i);
/* 32-bit words of the coordinates of a geometry (mir_tex), layer included. */
unsigned mir_tex_words(unsigned geometry);

/* Writes one instruction as SASS-like text, without newline, into out[0..size), which may be too
 * small; `control`: with its control information. @return characters needed, without the zero */
int mir_print_inst(char *out, size_t size, const struct mir_inst *inst, bool control);

/* clang-format on */

#endif
