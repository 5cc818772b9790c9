// Z3's names: each jumps to its function, and loads the library before it where nothing has done so (`load.c`).
// A first call keeps the registers that arguments are in, calls `z3_load` and starts again.

#include "functions.h"

        .text

#if defined(__x86_64__)

        .macro  entry number, name
        .globl  \name
        .type   \name, @function
\name:
        movq    z3_functions + 8 * \number(%rip), %r11
        testq   %r11, %r11
        je      1f
        jmpq    *%r11
1:      leaq    \name(%rip), %r11
        jmp     first
        .size   \name, . - \name
        .endm

first:  pushq   %r11
        pushq   %rdi
        pushq   %rsi
        pushq   %rdx
        pushq   %rcx
        pushq   %r8
        pushq   %r9
        subq    $64, %rsp
        movsd   %xmm0, (%rsp)
        movsd   %xmm1, 8(%rsp)
        movsd   %xmm2, 16(%rsp)
        movsd   %xmm3, 24(%rsp)
        movsd   %xmm4, 32(%rsp)
        movsd   %xmm5, 40(%rsp)
        movsd   %xmm6, 48(%rsp)
        movsd   %xmm7, 56(%rsp)
        call    z3_load
        movsd   (%rsp), %xmm0
        movsd   8(%rsp), %xmm1
        movsd   16(%rsp), %xmm2
        movsd   24(%rsp), %xmm3
        movsd   32(%rsp), %xmm4
        movsd   40(%rsp), %xmm5
        movsd   48(%rsp), %xmm6
        movsd   56(%rsp), %xmm7
        addq    $64, %rsp
        popq    %r9
        popq    %r8
        popq    %rcx
        popq    %rdx
        popq    %rsi
        popq    %rdi
        popq    %r11
        jmpq    *%r11

#elif defined(__aarch64__)

        .macro  entry number, name
        .globl  \name
        .type   \name, %function
\name:
        adrp    x16, z3_functions + 8 * \number
        add     x16, x16, :lo12:z3_functions + 8 * \number
        ldr     x16, [x16]
        cbz     x16, 1f
        br      x16
1:      adr     x17, \name
        b       first
        .size   \name, . - \name
        .endm

first:  stp     x29, x30, [sp, #-160]!
        mov     x29, sp
        stp     x0, x1, [sp, #16]
        stp     x2, x3, [sp, #32]
        stp     x4, x5, [sp, #48]
        stp     x6, x7, [sp, #64]
        stp     x8, x17, [sp, #80]
        stp     d0, d1, [sp, #96]
        stp     d2, d3, [sp, #112]
        stp     d4, d5, [sp, #128]
        stp     d6, d7, [sp, #144]
        bl      z3_load
        ldp     x0, x1, [sp, #16]
        ldp     x2, x3, [sp, #32]
        ldp     x4, x5, [sp, #48]
        ldp     x6, x7, [sp, #64]
        ldp     x8, x17, [sp, #80]
        ldp     d0, d1, [sp, #96]
        ldp     d2, d3, [sp, #112]
        ldp     d4, d5, [sp, #128]
        ldp     d6, d7, [sp, #144]
        ldp     x29, x30, [sp], #160
        br      x17

#endif

#define ENTRY(number, name) entry number, name;
FUNCTIONS(ENTRY)

        .section .note.GNU-stack, "", %progbits
