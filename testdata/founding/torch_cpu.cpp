#include "torch_like.h"

at::Tensor::Tensor(long size) : size_(size) {}
at::Tensor::~Tensor() = default;
long at::Tensor::numel() const { return size_; }

at::Tensor at::empty(long size)
{
    if (size < 0)
        throw c10::Error("negative " + c10::describe(size));
    return Tensor(size);
}
