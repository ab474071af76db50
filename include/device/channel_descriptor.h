// cudaCreateChannelDesc<T>(): the channel descriptor of a texel type.
#ifndef HEDDLE_DEVICE_CHANNEL_DESCRIPTOR_H
#define HEDDLE_DEVICE_CHANNEL_DESCRIPTOR_H

#include "runtime_textures.h"
#include "vector_types.h"

template <class T> struct heddle_channels;
#define HEDDLE_CHANNELS(type, n, each, kind)                                            \
    template <> struct heddle_channels<type> {                                          \
        enum { count = n, bits = 8 * sizeof(each), format = cudaChannelFormatKind##kind }; \
        typedef each element;                                                           \
    };
#define HEDDLE_CHANNELS_OF(scalar, vector, kind) \
    HEDDLE_CHANNELS(scalar, 1, scalar, kind)     \
    HEDDLE_CHANNELS(vector##1, 1, scalar, kind)  \
    HEDDLE_CHANNELS(vector##2, 2, scalar, kind)  \
    HEDDLE_CHANNELS(vector##4, 4, scalar, kind)
HEDDLE_CHANNELS(char, 1, char, Signed)
HEDDLE_CHANNELS_OF(signed char, char, Signed)
HEDDLE_CHANNELS_OF(unsigned char, uchar, Unsigned)
HEDDLE_CHANNELS_OF(short, short, Signed)
HEDDLE_CHANNELS_OF(unsigned short, ushort, Unsigned)
HEDDLE_CHANNELS_OF(int, int, Signed)
HEDDLE_CHANNELS_OF(unsigned int, uint, Unsigned)
HEDDLE_CHANNELS_OF(float, float, Float)
#undef HEDDLE_CHANNELS_OF
#undef HEDDLE_CHANNELS

template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc() {
    typedef heddle_channels<T> c;
    int n = c::count, bits = c::bits;
    cudaChannelFormatDesc desc = {bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0,
                                  (cudaChannelFormatKind)c::format};
    return desc;
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
    cudaChannelFormatDesc desc = {16, 0, 0, 0, cudaChannelFormatKindFloat};
    return desc;
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
    cudaChannelFormatDesc desc = {16, 16, 0, 0, cudaChannelFormatKindFloat};
    return desc;
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
    cudaChannelFormatDesc desc = {16, 16, 16, 16, cudaChannelFormatKindFloat};
    return desc;
}

#endif
