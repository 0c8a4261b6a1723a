/* Stores and copies a std::exception_ptr, as a runtime that hands errors between threads does. Each
 * copy needs exception_ptr::_M_addref, which is in the C++ runtime and nowhere else. */
#include <exception>
#include <stdexcept>

#include "stable_abi.h"

struct slot {
    std::exception_ptr error;
};

static slot first, second;
static volatile long limit = 3;

static void fail(long value)
{
    if (value > limit)
        throw std::out_of_range("value");
}

static long store()
{
    try {
        fail(4);
    } catch (...) {
        first.error = std::current_exception();
    }
    second.error = first.error;
    std::exception_ptr copy = second.error;
    return copy == first.error;
}

extern "C" {
MODULE(store())
}
