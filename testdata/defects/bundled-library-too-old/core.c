#include "stable_abi.h"

long shape_area(long);

MODULE(shape_area(6))
