#include "stable_abi.h"
#include "torch_like.h"

object *torch::wrap(const at::Tensor &tensor) { return PyLong_FromLong(tensor.numel()); }
