// libstdc++ writes __attribute__((__noinline__)) here, where CUDA's macro would expand inside.
//
// Found before the library's own file, because our folder is searched first.
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
