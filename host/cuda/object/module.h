/* module.h - device code of a program: fat binary to PTX to MIR, and the addresses of its
 * variables.
 *
 * A module is read when one of its kernels or variables is first used, and each kernel is compiled
 * when it is first used. All kernels of a module that the program itself loads are compiled then,
 * as by a driver. The constant bank and variables are ordinary device memory, so copies to symbols
 * are ordinary copies. */
#ifndef HEDDLE_CUDA_OBJECT_MODULE_H
#define HEDDLE_CUDA_OBJECT_MODULE_H

#include "cuda/base/context.h"
#include "cuda/base/module_variables.h"
#include "mir/mir.h"

/* A fat binary of a program, and its code once it is loaded. */
struct module {
    uint8_t *image; /* the fat binary */
    uint64_t bytes;
    unsigned number; /* 1 for the program's first */
    bool loaded;
    int error;                /* why it cannot be loaded, or 0 */
    char *why;                /* the same in words, or NULL */
    struct shared_code *code; /* with `mir`, which it owns; NULL: not loaded */
    struct mir_module *mir;
    int *kernel_error;      /* [mir->num_functions]: why a kernel cannot be compiled, or 0 */
    uint64_t *texture_bank; /* MIR_BANK_TEXTURE: handles of bound textures; NULL: no references */
    struct module_copy on[PROGRAM_MAX_DEVICES]; /* by device */
};

/* A kernel that a program has registered. */
struct function {
    struct module *module;
    char *name;           /* as in PTX */
    char *title;          /* for people: without mangling and parameters */
    uint32_t max_dynamic; /* dynamic shared memory allowed, bytes; 0: what fits without opting in */
    int carveout, cache_config; /* preferences of launches (common/carveout.h); carveout -1: none */
};

/* A variable, texture reference or surface reference that a program has registered. */
struct symbol {
    struct module *module;
    char *name;     /* as in PTX */
    uint64_t bytes; /* 0: the size in the PTX */
    bool managed;
    uint64_t shared_address; /* managed: the one address that all devices and the host use */
};

/* ---- registration: adds to the lists of the program and sets the new id. The call's payload is
 * the image, or the name. @return cudaError_t. */

int module_register(struct call *call, uint64_t *id);
int function_register(struct call *call, uint64_t module, uint64_t *id);
/* A variable, or a texture or surface reference. */
enum { SYMBOL_VARIABLE, SYMBOL_CONSTANT, SYMBOL_MANAGED };
int symbol_register(struct call *call, uint64_t module, uint64_t bytes, uint64_t kind,
                    uint64_t *id);

/* ---- by id; NULL: there is none */
struct module *module_find(const struct program *p, uint64_t id);
struct function *function_find(const struct program *p, uint64_t id);
struct symbol *symbol_find(const struct program *p, uint64_t id);

/* ---- use. All of these load the module, which may read it, allocate device memory, and write
 * errors to standard error, once each. @return cudaError_t. */

/* Reads the module on first use and places its variables on the device. */
int module_load(struct call *call, struct module *m, unsigned device);
/* Compiles all kernels of a module that has been loaded. The first error is then the module's. */
int module_compile(struct call *call, struct module *m);
/* The kernel's code, after loading on the device and compiling it. */
int function_load(struct call *call, uint64_t id, unsigned device, struct function **out,
                  const struct mir_function **code);
/* Address and size of a variable, after loading on the calling thread's device. */
int symbol_resolve(struct call *call, uint64_t id, uint64_t *address, uint64_t *bytes);
/* Address of `bytes` at an offset of a variable, which must lie in it. */
int symbol_locate(struct call *call, uint64_t id, uint64_t offset, uint64_t bytes,
                  uint64_t *address);
/* WIRE_PARAMETERS: pushes the layout of the kernel's parameters to the program. Results: their
 * count and their bytes. */
int function_describe_parameters(struct call *call, uint64_t id);

/* ---- end */

/* Frees the device memory of a module's variables; the module cannot be used again. Its code is
 * freed with the program, because graphs may still refer to it. */
void module_release(struct call *call, struct module *m);
/* Unloads all modules of a program; they load again on use. The caller frees their device
 * memory. */
void modules_unload(struct program *p);
/* Free a struct module *, struct function *, struct symbol *. */
void module_free(void *module);
void function_free(void *function);
void symbol_free(void *symbol);

#endif
