/* A C++ library chain shaped like libtorch's: libc10.so <- libtorch_cpu.so <- libtorch_python.so.
 * Names are C++ (_ZN…), errors are classes with type information, as a user of libtorch sees them. */
#include <exception>
#include <string>

#define API __attribute__((visibility("default")))

namespace c10 {
class API Error : public std::exception {
public:
    explicit Error(std::string message);
    ~Error() override;
    const char *what() const noexcept override;

private:
    std::string message_;
};
API std::string describe(long value);
API long synchronize(long stream); /* declared, and defined nowhere */
} // namespace c10

namespace at {
class API Tensor {
public:
    explicit Tensor(long size);
    virtual ~Tensor();
    virtual long numel() const;

private:
    long size_;
};
API Tensor empty(long size); /* throws c10::Error */
} // namespace at

struct object;
namespace torch {
API object *wrap(const at::Tensor &tensor);
}
