// Loads Z3 when the first of its functions is called; until then a program starts without it. `setup.rs` writes the
// header with LIBRARY, the library's path in the checkout, and FUNCTIONS, which applies a macro to the number and the name
// of each of Z3's functions.
// Every name is a jump through its entry of a table (`jump.S`), which is empty before the library is loaded.

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "functions.h"

#define TEXT(number, name) #name,
static const char *const names[] = {FUNCTIONS(TEXT)};

enum { COUNT = sizeof names / sizeof *names };

__attribute__((visibility("hidden"))) void *z3_functions[COUNT];

// Next to the program in a package, next to the extension in a Python wheel, or in the checkout.
static const char *const places[] = {"$ORIGIN/../lib/hydride/libz3.so", "$ORIGIN/../z3/lib/libz3.so", LIBRARY};

// Not all that looks like a function's name in the library is one.
static void z3_missing(void) {
    fputs("error: the Z3 that was loaded lacks a function that is needed\n", stderr);
    _Exit(1);
}

// Fills the table. Threads may do so at the same time; all write the same addresses.
__attribute__((visibility("hidden"))) void z3_load(void) {
    void *library = NULL;
    for (size_t place = 0; !library && place < sizeof places / sizeof *places; place++) {
        library = dlopen(places[place], RTLD_LAZY | RTLD_LOCAL);
    }
    if (!library) {
        fputs("error: no libz3.so is in ../lib/hydride or ../z3/lib, seen from the program's folder, nor in the checkout: ", stderr);
        fprintf(stderr, "%s\n", dlerror());
        _Exit(1);
    }
    for (size_t number = 0; number < COUNT; number++) {
        void *function = dlsym(library, names[number]);
        __atomic_store_n(&z3_functions[number], function ? function : (void *)z3_missing, __ATOMIC_RELAXED);
    }
}
