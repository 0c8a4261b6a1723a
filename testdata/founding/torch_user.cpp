/* An extension on top of the chain. With MISSING it also calls what no library defines. */
#include "stable_abi.h"
#include "torch_like.h"

static volatile long size = 6;

static long run()
{
    try {
        at::Tensor tensor = at::empty(size);
#ifdef MISSING
        return c10::synchronize(tensor.numel());
#else
        return torch::wrap(tensor) != nullptr ? tensor.numel() : 0;
#endif
    } catch (const c10::Error &) {
        return -1;
    }
}

extern "C" {
MODULE(run())
}
