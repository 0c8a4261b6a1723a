#ifdef OLD
int getpid(void); /* GLIBC_2.2.5 */

long payload(void)
{
    return getpid();
}
#else
int pthread_once(int *, void (*)(void)); /* GLIBC_2.34 */

static int once;
static long value;

static void set(void)
{
    value = 42;
}

long payload(void)
{
    pthread_once(&once, set);
    return value;
}
#endif
