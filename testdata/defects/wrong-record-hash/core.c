#include "stable_abi.h"

MODULE(42)
