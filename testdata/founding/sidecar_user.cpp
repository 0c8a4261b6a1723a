/* Needs a C++ runtime of its own, and a sidecar that was linked with one or the other runtime. */
#include <string>

#include "stable_abi.h"

std::string sidecar_text(long value);

static volatile long value = 42;

static long run()
{
    std::string text = sidecar_text(value);
    if (text.empty())
        throw value;
    return static_cast<long>(text.size());
}

extern "C" {
MODULE(run())
}
