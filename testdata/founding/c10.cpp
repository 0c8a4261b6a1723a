#include "torch_like.h"

#include <utility>

c10::Error::Error(std::string message) : message_(std::move(message)) {}
c10::Error::~Error() = default;
const char *c10::Error::what() const noexcept { return message_.c_str(); }
std::string c10::describe(long value) { return "size " + std::to_string(value); }
