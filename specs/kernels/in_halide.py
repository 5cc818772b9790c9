"""The kernels in Halide, for a comparison with synthesized code.

    python3 in_halide.py TARGET BYTES UNROLL OUT

writes for each kernel `OUT/KERNEL.o`, code for TARGET (a target string of Halide) of which a step of the loop computes UNROLL
vectors that fill BYTES bytes in the kernel's narrowest type, and `OUT/KERNEL.c`, which defines `original` as in `loop.h` with it.
What is left of a row after the last step is computed as a step of its own.
"""

import sys
from pathlib import Path
from typing import Callable, NamedTuple

import halide as hl

U8, I8, U16, I16, I32 = hl.UInt(8), hl.Int(8), hl.UInt(16), hl.Int(16), hl.Int(32)

C_TYPES = {(False, 8): "uint8_t", (True, 8): "int8_t", (False, 16): "uint16_t", (True, 16): "int16_t", (True, 32): "int32_t"}


class Kernel(NamedTuple):
    """A row of results of rows, `pairs` of whose elements belong to one result, and of scalars.

    `value` gives element `x`: of functions that read a row at a position, and of scalars. With `terms` there are two that are
    added to it, as a reduction.
    """

    result: hl.Type
    rows: list[hl.Type]
    value: Callable[..., hl.Expr]
    scalars: list[hl.Type] = []
    pairs: int = 1
    ahead: int = 0
    terms: Callable[..., hl.Expr] | None = None


def wide(ty: hl.Type, expr: hl.Expr) -> hl.Expr:
    return hl.cast(ty, expr)


def average_pool(x, r, s):
    terms = [wide(U16, row[2 * x + i]) for row in r for i in (0, 1)]
    return hl.cast(U8, (terms[0] + terms[1] + terms[2] + terms[3] + 2) >> 2)


def blur(x, r, s):
    return (r[0][x] + r[0][x + 1] + r[0][x + 2]) / hl.u16(3)


def depthwise(x, r, s):
    def product(i):
        return wide(I32, r[i][x]) * wide(I32, r[i + 1][x])

    return r[0][x] + product(1) + product(3) + product(5)


def dilate(x, r, s):
    greatest = r[0][x]
    for row in r:
        for i in range(3):
            greatest = hl.max(greatest, row[x + i])
    return greatest


def weighted(x, weights):
    total = None
    for weight, element in weights:
        term = wide(U16, element) * hl.u16(weight)
        total = term if total is None else total + term
    return total


def gaussian3x3(x, r, s):
    weights = [(a * b, row[x + i]) for a, row in zip((1, 2, 1), r) for i, b in enumerate((1, 2, 1))]
    return hl.cast(U8, (weighted(x, weights) + 8) >> 4)


def gaussian5x5(x, r, s):
    return weighted(x, [(weight, row[x]) for weight, row in zip((1, 4, 6, 4, 1), r)])


def gaussian7x7(x, r, s):
    weights = [(weight, row[x]) for weight, row in zip((1, 6, 15, 20, 15, 6, 1), r)]
    return hl.cast(U8, (weighted(x, weights) + 32) >> 6)


def rgb_to_luma(x, r, s):
    total = weighted(x, [(66, r[0][x]), (129, r[1][x]), (25, r[2][x])])
    return hl.cast(U8, (total + 128) >> 8) + hl.u8(16)


def rounding_mul(x, r, s):
    product = wide(I32, r[0][x]) * wide(I32, r[1][x])
    return hl.cast(I16, (product + (1 << 14)) >> 15)


def sobel(x, r, s):
    def sums(a, b, c):
        return wide(U16, a) + hl.u16(2) * wide(U16, b) + wide(U16, c)

    down = hl.absd(sums(*(r[0][x + i] for i in range(3))), sums(*(r[2][x + i] for i in range(3))))
    across = hl.absd(sums(*(row[x] for row in r)), sums(*(row[x + 2] for row in r)))
    return hl.cast(U8, hl.min(down + across, 255))


def added(x, r, s):
    return r[0][x]


def rows(x, r, s):
    total = r[0][x]
    for scalar, row in zip(s, r[1:]):
        total += wide(I32, scalar) * wide(I32, row[x])
    return total


def products(x, r, s, i):
    """Term `i` of two: an element of the second row, whose dimensions are the pair and its position, times a coefficient."""
    return wide(I32, s[i]) * wide(I32, r[1][i, x])


KERNELS = {
    "average_pool": Kernel(U8, [U8, U8], average_pool, pairs=2),
    "blur": Kernel(U16, [U16], blur, ahead=2),
    "depthwise": Kernel(I32, [I32] + 6 * [I16], depthwise),
    "dilate": Kernel(U8, 3 * [U8], dilate, ahead=2),
    "gaussian3x3": Kernel(U8, 3 * [U8], gaussian3x3, ahead=2),
    "gaussian5x5": Kernel(U16, 5 * [U8], gaussian5x5),
    "gaussian7x7": Kernel(U8, 7 * [U8], gaussian7x7),
    "matmul_i16": Kernel(I32, [I32, I16], added, scalars=[I16, I16], terms=products),
    "matmul_i8": Kernel(I32, [I32, I8], added, scalars=[I8, I8], terms=products),
    "matmul_rows": Kernel(I32, [I32, I16, I16], rows, scalars=[I16, I16]),
    "matmul_rows8": Kernel(I32, [I32] + 8 * [I16], rows, scalars=8 * [I16]),
    "rgb_to_luma": Kernel(U8, 3 * [U8], rgb_to_luma),
    "rounding_mul": Kernel(I16, 2 * [I16], rounding_mul),
    "sobel": Kernel(U8, 3 * [U8], sobel, ahead=2),
}


def row_of(kernel: Kernel, at: int) -> int:
    """How many elements of a row belong to one result."""
    return kernel.pairs if kernel.terms is None else 1 + int(at == 1)


def compile(name: str, kernel: Kernel, target: hl.Target, size: int, unroll: int, out: Path) -> None:
    x, i = hl.Var("x"), hl.Var("i")
    lanes = size * 8 // min(ty.bits() for ty in [kernel.result, *kernel.rows])
    step = lanes * unroll
    rows = []
    for at, ty in enumerate(kernel.rows):
        is_pairs = kernel.terms is not None and at == 1
        row = hl.ImageParam(ty, 2 if is_pairs else 1, f"r{at}")
        if is_pairs:
            row.dim(0).set_bounds(0, 2)
            row.dim(1).set_stride(2)
        rows.append(row)
    scalars = [hl.Param(ty, f"s{at}") for at, ty in enumerate(kernel.scalars)]
    result = hl.Func(name)
    if kernel.terms is None:
        result[x] = kernel.value(x, rows, scalars)
    else:
        coefficients, sum = hl.Func("coefficients"), hl.Func("sum")
        coefficients[i] = hl.mux(i, scalars)
        pair = hl.RDom([(0, 2)])
        sum[x] = kernel.value(x, rows, coefficients)
        sum[x] += kernel.terms(x, rows, coefficients, pair.x)
        result[x] = sum[x]
        coefficients.compute_root().bound(i, 0, 2).unroll(i)
    result.output_buffer().dim(0).set_min(0).set_extent(result.output_buffer().dim(0).extent() / step * step)
    outer, inner, vector = hl.Var("outer"), hl.Var("inner"), hl.Var("vector")
    result.split(x, outer, inner, step, hl.TailStrategy.RoundUp)
    result.split(inner, inner, vector, lanes).vectorize(vector).unroll(inner)
    if kernel.terms is not None:
        sum.compute_at(result, inner).vectorize(x)
        sum.update().atomic().vectorize(pair.x).vectorize(x)
    result.compile_to({hl.OutputFileType.object: str(out / f"{name}.o")}, [*rows, *scalars], name, target)
    (out / f"{name}.c").write_text(wrapper(name, kernel, step))


def wrapper(name: str, kernel: Kernel, step: int) -> str:
    """The function in C that calls Halide's for whole vectors."""
    own = C_TYPES[kernel.result.is_int(), kernel.result.bits()]
    rows = [C_TYPES[ty.is_int(), ty.bits()] for ty in kernel.rows]
    scalars = [C_TYPES[ty.is_int(), ty.bits()] for ty in kernel.scalars]
    buffers = [f"struct halide_buffer_t *r{at}" for at in range(len(rows))]
    parameters = buffers + [f"{ty} s{at}" for at, ty in enumerate(scalars)] + ["struct halide_buffer_t *out"]
    given = [f"const {ty} *restrict r{at}" for at, ty in enumerate(rows)] + [f"{ty} s{at}" for at, ty in enumerate(scalars)]
    given = [f"{own} *restrict out", "long n", *given]
    names = [f"r{at}" for at in range(len(rows))] + [f"s{at}" for at in range(len(scalars))]
    lines = ["#include <string.h>", '#include "HalideRuntime.h"', "", f"int {name}({', '.join(parameters)});", ""]
    lines += [f"static void whole({', '.join(given)}) {{"]
    for at in range(len(rows)):
        each = row_of(kernel, at)
        if kernel.terms is not None and each == 2:
            lines += [f"  halide_dimension_t d{at}[2] = {{{{0, 2, 1, 0}}, {{0, (int)n, 2, 0}}}};"]
        else:
            lines += [f"  halide_dimension_t d{at}[1] = {{{{0, {each} * (int)n + {kernel.ahead}, 1, 0}}}};"]
    lines += ["  halide_dimension_t dn[1] = {{0, (int)n, 1, 0}};"]
    for at, ty in enumerate(kernel.rows):
        two = kernel.terms is not None and row_of(kernel, at) == 2
        lines += [buffer(f"b{at}", f"(uint8_t *)r{at}", ty, 2 if two else 1, f"d{at}")]
    lines += [buffer("bn", "(uint8_t *)out", kernel.result, 1, "dn")]
    arguments = [f"&b{at}" for at in range(len(rows))] + [f"s{at}" for at in range(len(scalars))] + ["&bn"]
    lines += [f"  {name}({', '.join(arguments)});", "}", "", f"void original({', '.join(given)}) {{"]
    lines += [f"  long some = n - n % {step};", f"  if (some > 0) whole(out, some, {', '.join(names)});"]
    later = [f"r{at} + {row_of(kernel, at)} * some" for at in range(len(rows))] + names[len(rows) :]
    lines += ["  if (some < n) {", f"    {own} rest[{step}];", f"    whole(rest, {step}, {', '.join(later)});"]
    lines += ["    memcpy(out + some, rest, (size_t)(n - some) * sizeof *out);", "  }", "}", ""]
    return "\n".join(lines)


def buffer(name: str, host: str, ty: hl.Type, dimensions: int, bounds: str) -> str:
    code = "halide_type_int" if ty.is_int() else "halide_type_uint"
    return (
        f"  struct halide_buffer_t {name} = {{.host = {host}, .type = {{{code}, {ty.bits()}, 1}}, "
        f".dimensions = {dimensions}, .dim = {bounds}}};"
    )


def main() -> None:
    target, size, unroll, out = hl.Target(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    out.mkdir(parents=True, exist_ok=True)
    for name, kernel in KERNELS.items():
        compile(name, kernel, target, size, unroll, out)


if __name__ == "__main__":
    main()
