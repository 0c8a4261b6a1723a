/* One library that uses symbols in every way that a relocation of a shared object can:
 *
 *   uses.so --NEEDED--> libc.so.6
 *   uses.so ..weak....> maybe_present              (GLOB_DAT)
 *   uses.so ..........> elsewhere, elsewhere_data  (nobody supplies them)
 *
 * Built for each architecture by build.sh; tests/elf/test_fixtures.py tells what the reader must find.
 */
#include <stdlib.h>

void *volatile keeper; /* so that no allocation is optimized away */
extern int elsewhere(int);
extern int elsewhere_data;
extern _Thread_local int elsewhere_tls;
extern _Thread_local int elsewhere_initial_tls __attribute__((tls_model("initial-exec")));
extern int maybe_present(void) __attribute__((weak));

_Thread_local int own_tls = 5;

/* A datum that holds addresses: absolute relocations, one of an undefined symbol and one of our own. */
int exported(int x);
void *const addresses[] = {(void *)&elsewhere, (void *)&exported};

__attribute__((visibility("hidden"))) int hidden_data = 7;

int exported(int x) { return x + own_tls; }

int exported_in_second(int x)
{
    keeper = malloc(16); /* JUMP_SLOT, versioned */
    int sum = exported(x) + elsewhere(x) + elsewhere_data + elsewhere_tls + elsewhere_initial_tls + hidden_data;
    if (maybe_present)
        sum += maybe_present();
    free(keeper);
    return sum;
}
