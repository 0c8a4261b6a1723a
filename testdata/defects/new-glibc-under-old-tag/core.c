#include "stable_abi.h"

/* libc.so.6 has had this at GLIBC_2.34 since libpthread became a part of it. */
int pthread_once(int *, void (*)(void));

static int once;
static long value;

static void set(void)
{
    value = 42;
}

static long get(void)
{
    pthread_once(&once, set);
    return value;
}

MODULE(get())
