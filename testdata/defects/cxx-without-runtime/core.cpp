/* Uses the C++ runtime as little as one can: it allocates, throws and catches. All that it needs
 * is older than manylinux_2_17, so the tag is no second defect. */
#include "stable_abi.h"

struct node {
    long value;
};

static long checked(node *n)
{
    if (n->value < 0)
        throw n->value;
    return n->value;
}

extern "C" __attribute__((visibility("default"))) long run(long value)
{
    node *n = new node{value};
    long result;
    try {
        result = checked(n);
    } catch (long bad) {
        result = -bad;
    }
    delete n;
    return result;
}

extern "C" {
MODULE(run(-42))
}
