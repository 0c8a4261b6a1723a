/* Uses std::string and throws: what an ordinary C++ extension does. It copies no exception_ptr, so
 * a check that looks for exception_ptr::_M_addref alone finds nothing wrong here. */
#include <stdexcept>
#include <string>

#include "stable_abi.h"

static const char *volatile words[] = {"static", "runtime", "or", "none"};

static std::string joined()
{
    std::string text;
    for (const char *word : words)
        text += std::string(word) + " ";
    if (text.size() > 1000)
        throw std::runtime_error("too long: " + text);
    return text;
}

static long length()
{
    try {
        return static_cast<long>(joined().size());
    } catch (const std::exception &) {
        return -1;
    }
}

extern "C" {
MODULE(length())
}
