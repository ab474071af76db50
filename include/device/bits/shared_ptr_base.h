// Wraps libstdc++'s header, which writes __attribute__((__noinline__)): CUDA's macro of that name
// would expand inside it.
//
// The compiler finds this file first, because it searches this folder before the library's.
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
