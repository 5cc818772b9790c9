// What stands for Halide's IRMatch in a test: terms are texts, and a rewrite is printed.
#pragma once
#include <iostream>
#include <string>
#include <type_traits>

struct Term {
    std::string text;
    Term(std::string text) : text(std::move(text)) {}
    template<typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
    Term(T value) : text(std::to_string(value)) {}
};

template<int N> struct Wild : Term { Wild() : Term("x" + std::to_string(N)) {} };
template<int N> struct WildConst : Term { WildConst() : Term("c" + std::to_string(N)) {} };

#define INFIX(sign) \
    inline Term operator sign(const Term &a, const Term &b) { return "(" + a.text + " " #sign " " + b.text + ")"; }
INFIX(+) INFIX(-) INFIX(*) INFIX(/) INFIX(<<) INFIX(>>) INFIX(==) INFIX(!=) INFIX(<) INFIX(<=) INFIX(>=)
INFIX(&) INFIX(|) INFIX(^) INFIX(&&)
#undef INFIX

template<typename... Operands>
Term call(const std::string &name, const Operands &...operands) {
    std::string text;
    ((text += (text.empty() ? "" : ", ") + Term(operands).text), ...);
    return name + "(" + text + ")";
}

#define CALL(name) \
    template<typename... Operands> Term name(const Operands &...operands) { return call(#name, operands...); }
CALL(UInt) CALL(Int) CALL(Bool) CALL(cast) CALL(reinterpret) CALL(saturating_cast) CALL(min) CALL(max)
CALL(widening_add) CALL(widening_sub) CALL(widening_mul) CALL(widening_shift_left)
CALL(widen_right_add) CALL(widen_right_sub) CALL(widen_right_mul) CALL(saturating_add) CALL(saturating_sub)
CALL(halving_add) CALL(rounding_halving_add) CALL(rounding_shift_right) CALL(mul_shift_right)
CALL(rounding_mul_shift_right) CALL(absd) CALL(abs) CALL(select) CALL(vector_reduce_add) CALL(vector_reduce_max)
CALL(vector_reduce_min) CALL(broadcast) CALL(splat) CALL(part) CALL(low) CALL(high) CALL(concat) CALL(pow2)
CALL(is_int) CALL(is_uint) CALL(lower_bounded) CALL(upper_bounded) CALL(known_bits) CALL(has_lanes)
#undef CALL

template<typename... Operands>
Term instruction(const char *name, const Operands &...operands) { return call(name, operands...); }

struct Printer {
    bool operator()(const Term &from, const Term &to, const Term &when) {
        std::cout << from.text << " => " << to.text << " if " << when.text << "\n";
        return false;
    }
};
