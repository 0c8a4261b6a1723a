#include <string>

__attribute__((visibility("default"))) std::string sidecar_text(long value)
{
    return std::to_string(value) + "!";
}
