/* calls_texture.c - handlers for texture and surface objects, and for references, which they bind
 * to memory; see texture_object.h.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". An unknown object is InvalidValue. They change program.textures and server.textures,
 * and issue nothing on the GPU. Creating and binding pull struct texture_descs from the call's
 * payload, and report on standard error what is not supported (NotSupported); a query leaves one
 * descriptor in the staging memory for the reply. Binding loads the module of the reference, which
 * may compile it. */
#include <string.h>

#include "cuda/base/payload.h"
#include "cuda/object/texture_object.h"
#include "cuda_call_handlers.h"

/* Reads the descriptors from the payload; a shorter payload leaves the last ones zero. @return
 * false: it is too long, or the program does not answer: its thread is then marked dead. */
static bool pull_descs(struct call *call, struct texture_descs *d) {
    memset(d, 0, sizeof *d);
    if (call->payload_bytes > sizeof *d) return false;
    const uint8_t *bytes = call_pull(call, 0, (uint32_t)call->payload_bytes);
    if (bytes) memcpy(d, bytes, call->payload_bytes);
    return bytes != NULL;
}

/* Creates an object for the thread's current device from the descriptors of the payload: an entry
 * of server.textures, and its descriptors in program.textures; entries that ended on idle devices
 * are freed first. *handle: the object. @return InvalidValue: also a wrong payload, with *handle
 * untouched; else as texture_object_create(). */
static int create(struct call *call, bool surface, bool has_view, uint64_t *handle) {
    struct texture_descs d;
    if (!pull_descs(call, &d)) return CUDA_ERROR_INVALID_VALUE;
    return texture_object_create(call, &d, surface, has_view, handle);
}

/* has_view: the payload has a view, too. *object: the handle that kernels use. */
int do_cudaCreateTextureObject(struct call *call, uint64_t *object, uint64_t has_view) {
    return create(call, false, has_view != 0, object);
}
int do_cudaCreateTextureObject_v2(struct call *call, uint64_t *object, uint64_t has_view) {
    return create(call, false, has_view != 0, object);
}
int do_cudaCreateSurfaceObject(struct call *call, uint64_t *object) {
    return create(call, true, false, object);
}

/* Ends an object; later launches cannot use it, those that are issued may. Handle 0 is ignored. */
static int destroy(struct call *call, uint64_t handle, bool surface) {
    bool good = !handle || texture_object_destroy(call->server, call->program, handle, surface);
    return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
int do_cudaDestroyTextureObject(struct call *call, uint64_t object) {
    return destroy(call, object, false);
}
int do_cudaDestroySurfaceObject(struct call *call, uint64_t object) {
    return destroy(call, object, true);
}

int do_cudaGetTextureObjectResourceDesc(struct call *call, uint64_t object) {
    const struct texture_object *o = texture_object_find(call->program, object, false);
    if (!o) return CUDA_ERROR_INVALID_VALUE;
    call_push_last(call, 0, &o->descs.resource, sizeof o->descs.resource);
    return CUDA_SUCCESS;
}
int do_cudaGetSurfaceObjectResourceDesc(struct call *call, uint64_t object) {
    const struct texture_object *o = texture_object_find(call->program, object, true);
    if (!o) return CUDA_ERROR_INVALID_VALUE;
    call_push_last(call, 0, &o->descs.resource, sizeof o->descs.resource);
    return CUDA_SUCCESS;
}

/* Answers with the first `bytes` bytes of the descriptor. @return InvalidValue: also too many. */
int do_cudaGetTextureObjectTextureDesc(struct call *call, uint64_t object, uint64_t bytes) {
    const struct texture_object *o = texture_object_find(call->program, object, false);
    if (!o || bytes > sizeof o->descs.texture) return CUDA_ERROR_INVALID_VALUE;
    call_push_last(call, 0, &o->descs.texture, (uint32_t)bytes);
    return CUDA_SUCCESS;
}
int do_cudaGetTextureObjectTextureDesc_v2(struct call *call, uint64_t object, uint64_t bytes) {
    return do_cudaGetTextureObjectTextureDesc(call, object, bytes);
}

/* @return InvalidValue: also an object without a view. */
int do_cudaGetTextureObjectResourceViewDesc(struct call *call, uint64_t object) {
    const struct texture_object *o = texture_object_find(call->program, object, false);
    if (!o || !o->has_view) return CUDA_ERROR_INVALID_VALUE;
    call_push_last(call, 0, &o->descs.view, sizeof o->descs.view);
    return CUDA_SUCCESS;
}

/* ---- references */

/* Binds a reference (its symbol id) to the memory of the payload's descriptors, for later launches
 * (texture_reference_bind()). @return InvalidValue: a wrong payload; else as that. */
static int bind(struct call *call, uint64_t id, bool surface) {
    struct texture_descs d;
    if (!pull_descs(call, &d)) return CUDA_ERROR_INVALID_VALUE;
    return texture_reference_bind(call, id, surface, &d);
}

int do_cudaBindTexture(struct call *call, uint64_t texture) {
    return bind(call, texture, false);
}
int do_cudaBindTexture2D(struct call *call, uint64_t texture) {
    return bind(call, texture, false);
}
int do_cudaBindTextureToArray(struct call *call, uint64_t texture) {
    return bind(call, texture, false);
}
int do_cudaBindTextureToMipmappedArray(struct call *call, uint64_t texture) {
    return bind(call, texture, false);
}
int do_cudaBindSurfaceToArray(struct call *call, uint64_t surface) {
    return bind(call, surface, true);
}

/* Later launches have no texture at the reference. */
int do_cudaUnbindTexture(struct call *call, uint64_t texture) {
    return texture_reference_bind(call, texture, false, NULL);
}
