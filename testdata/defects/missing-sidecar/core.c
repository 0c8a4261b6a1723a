#include "stable_abi.h"

long sidecar_value(void);

MODULE(sidecar_value())
