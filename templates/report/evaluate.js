// Functions of the IR, read from their text and evaluated on integers of any width.
//
// Values are BigInts, read unsigned; the grammar is that of the text form (hydride-ir/src/text). What operators mean is
// written here once more, on purpose: a test compares this with `hydride eval`.
"use strict";

hydride.ir = (() => {
  const { asIntN, asUintN } = BigInt;

  /// All ones.
  const ones = (width) => (1n << BigInt(width)) - 1n;

  const abs = (value) => (value < 0n ? -value : value);

  /// The number of digits that an unsigned value has in base 2.
  const length = (value) => (value === 0n ? 0 : value.toString(2).length);

  const UNARY = {
    not: (a, width) => ones(width) ^ a,
    neg: (a) => -a,
    abs: (a, width) => abs(asIntN(width, a)),
    popcount: (a) => BigInt(a.toString(2).replaceAll("0", "").length),
    leading_zeros: (a, width) => BigInt(width - length(a)),
    trailing_zeros: (a, width) => BigInt(a === 0n ? width : length(a & -a) - 1),
  };

  // Of two operands as the sign reads them; `b` of a shift is its count, read unsigned.
  const BINARY = {
    add: (a, b) => a + b,
    sub: (a, b) => a - b,
    mul: (a, b) => a * b,
    div: (a, b, width) => (b === 0n ? (a < 0n ? 1n : ones(width)) : a / b),
    rem: (a, b) => (b === 0n ? a : a % b),
    and: (a, b) => a & b,
    or: (a, b) => a | b,
    xor: (a, b) => a ^ b,
    min: (a, b) => (a < b ? a : b),
    max: (a, b) => (a > b ? a : b),
  };

  // A count beyond the width moves all bits out.
  const SHIFT = {
    shl: (a, count, width) => (count >= BigInt(width) ? 0n : a << count),
    shr: (a, count, width) => a >> (count >= BigInt(width) ? BigInt(width) : count),
  };

  const reading = (value, width, signed) => (signed ? asIntN(width, value) : value);

  /// An operator with two operands, where `width` is that of the first one and of the value.
  const binary = (operator, a, b, width, signed) => {
    const left = reading(a, width, signed);
    return asUintN(width, operator in SHIFT ? SHIFT[operator](left, b, width) : BINARY[operator](left, reading(b, width, signed), width));
  };

  const COMPARE = { eq: (a, b) => a === b, lt: (a, b) => a < b, le: (a, b) => a <= b };

  const clamp = (value, low, high) => (value < low ? low : value > high ? high : value);

  const saturate = (value, width, signed) => {
    const high = signed ? ones(width - 1) : ones(width);
    return clamp(value, signed ? -high - 1n : 0n, high);
  };

  // Floating-point numbers in any format; rounded once, from exact values with BigInts.
  const float = (() => {
    /// Bits of the exponent and of the whole.
    const format = (exponent, width) => {
      const fraction = width - 1 - exponent;
      const infinity = ones(exponent) << BigInt(fraction);
      const quiet = 1n << BigInt(fraction - 1);
      const bias = 2 ** (exponent - 1) - 1;
      const signed = (negative, magnitude) => (negative ? 1n << BigInt(width - 1) : 0n) | magnitude;
      return { width, fraction, infinity, quiet, least: 1 - bias - fraction, signed };
    };

    /// A number is `magnitude * 2^scale`.
    const unpack = (own, bits) => {
      const magnitude = asUintN(own.width - 1, bits);
      const rest = asUintN(own.fraction, bits);
      const biased = Number(magnitude >> BigInt(own.fraction));
      return {
        bits,
        negative: bits !== magnitude,
        nan: magnitude > own.infinity,
        infinite: magnitude === own.infinity,
        zero: magnitude === 0n,
        magnitude: biased === 0 ? rest : rest | (1n << BigInt(own.fraction)),
        scale: own.least + Math.max(biased - 1, 0),
      };
    };

    /// A magnitude without its lowest bits. Modes: 0 nearest even, 1 down, 2 up, 3 toward zero, 4 nearest away, 5 odd.
    const rounded = (magnitude, drop, negative, mode) => {
      if (drop <= 0) return magnitude << BigInt(-drop);
      const kept = magnitude >> BigInt(drop);
      const rest = magnitude - (kept << BigInt(drop));
      const half = 1n << BigInt(drop - 1);
      const odd = (kept & 1n) === 1n;
      const up = {
        1: rest > 0n && negative,
        2: rest > 0n && !negative,
        3: false,
        4: rest >= half,
        5: rest > 0n && !odd,
      }[mode] ?? (rest > half || (rest === half && odd));
      return up ? kept + 1n : kept;
    };

    const pack = (own, negative, magnitude, scale, mode) => {
      if (magnitude === 0n) return own.signed(negative, 0n);
      const to = Math.max(own.least, scale + length(magnitude) - own.fraction - 1);
      const bits = rounded(magnitude, to - scale, negative, mode) + (BigInt(to - own.least) << BigInt(own.fraction));
      if (bits < own.infinity) return own.signed(negative, bits);
      const finite = mode === 3 || mode === 5 || (mode === 1 && !negative) || (mode === 2 && negative);
      return own.signed(negative, finite ? own.infinity - 1n : own.infinity);
    };

    const noNumber = (own, rule) => own.signed(rule === "first", own.infinity | own.quiet);

    /// The NaN that an operand makes the result; undefined if none is one.
    const nanOf = (own, rule, operands) => {
      const signaling = operands.find(({ nan, bits }) => rule === "signaling_first" && nan && !(bits & own.quiet));
      const chosen = signaling ?? operands.find(({ nan }) => nan);
      return chosen && (rule === "open" ? noNumber(own, rule) : chosen.bits | own.quiet);
    };

    /// `left * right + addend`, none of which is a NaN.
    const sum = (own, rule, mode, left, right, addend) => {
      const infinite = left.infinite || right.infinite;
      const negative = left.negative !== right.negative;
      if (infinite && (left.zero || right.zero || (addend.infinite && negative !== addend.negative))) return noNumber(own, rule);
      if (infinite) return own.signed(negative, own.infinity);
      if (addend.infinite) return addend.bits;
      const product = left.magnitude * right.magnitude;
      if (product === 0n && addend.zero) return own.signed(negative === addend.negative ? negative : mode === 1, 0n);
      const scale = Math.min(left.scale + right.scale, addend.scale);
      const exact = (magnitude, own, sign) => (magnitude << BigInt(own - scale)) * (sign ? -1n : 1n);
      const total = exact(product, left.scale + right.scale, negative) + exact(addend.magnitude, addend.scale, addend.negative);
      return pack(own, total === 0n ? mode === 1 : total < 0n, abs(total), scale, mode);
    };

    const root = (square) => {
      let found = 1n << BigInt((length(square) + 1) >> 1);
      for (;;) {
        const next = (found + square / found) >> 1n;
        if (next >= found) return found;
        found = next;
      }
    };

    const less = (own, left, right) => {
      const value = ({ negative, bits }) => (negative ? -asUintN(own.width - 1, bits) : bits);
      return value(left) < value(right);
    };

    const one = { negative: false, magnitude: 1n, scale: 0 };

    const COMPARE = {
      feq: (own, a, b) => !less(own, a, b) && !less(own, b, a),
      flt: (own, a, b) => less(own, a, b),
      fle: (own, a, b) => !less(own, b, a),
    };

    const ARITHMETIC = {
      fadd: (own, rule, mode, a, b) => sum(own, rule, mode, a, one, b),
      fsub: (own, rule, mode, a, b) => sum(own, rule, mode, a, one, { ...b, negative: !b.negative, bits: b.bits ^ own.signed(true, 0n) }),
      fmul: (own, rule, mode, a, b) =>
        sum(own, rule, mode, a, b, { negative: a.negative !== b.negative, zero: true, magnitude: 0n, scale: a.scale + b.scale }),
      fma: sum,
      fdiv: (own, rule, mode, a, b) => {
        const negative = a.negative !== b.negative;
        if ((a.infinite && b.infinite) || (a.zero && b.zero)) return noNumber(own, rule);
        if (a.infinite || b.zero) return own.signed(negative, own.infinity);
        if (b.infinite || a.zero) return own.signed(negative, 0n);
        const more = 2 * own.width;
        const dividend = a.magnitude << BigInt(more);
        const inexact = dividend % b.magnitude ? 1n : 0n;
        return pack(own, negative, ((dividend / b.magnitude) << 1n) | inexact, a.scale - b.scale - more - 1, mode);
      },
      fsqrt: (own, rule, mode, a) => {
        if (a.zero) return a.bits;
        if (a.negative) return noNumber(own, rule);
        if (a.infinite) return a.bits;
        const more = 2 * own.width + (Math.abs(a.scale) % 2);
        const square = a.magnitude << BigInt(more);
        const found = root(square);
        const inexact = found * found === square ? 0n : 1n;
        return pack(own, false, (found << 1n) | inexact, (a.scale - more) / 2 - 1, mode);
      },
      // Of an approximation the correctly rounded value.
      freciprocal: (own, rule, mode, a) => ARITHMETIC.fdiv(own, rule, 0, one, a),
      frsqrt: (own, rule, mode, a) => {
        if (a.zero) return own.signed(a.negative, own.infinity);
        if (a.negative) return noNumber(own, rule);
        if (a.infinite) return 0n;
        const more = 6 * own.width + (Math.abs(a.scale) % 2);
        const square = (1n << BigInt(more)) / a.magnitude;
        const found = root(square);
        const inexact = found * found * a.magnitude === 1n << BigInt(more) ? 0n : 1n;
        return pack(own, false, (found << 1n) | inexact, (-a.scale - more) / 2 - 1, 0);
      },
      fround: (own, rule, mode, a) =>
        a.infinite || a.scale >= 0 ? a.bits : pack(own, a.negative, rounded(a.magnitude, -a.scale, a.negative, mode), 0, mode),
      fmin: (own, rule, mode, a, b) => (less(own, a, b) || (!less(own, b, a) && a.negative) ? a.bits : b.bits),
      fmax: (own, rule, mode, a, b) => (less(own, a, b) || (!less(own, b, a) && a.negative) ? b.bits : a.bits),
    };

    const convert = (from, to, rule, mode, a) => {
      if (a.nan && rule === "open") return noNumber(to, rule);
      if (a.nan) {
        const more = to.fraction - from.fraction;
        const payload = asUintN(from.fraction, a.bits);
        return to.signed(a.negative, to.infinity | to.quiet | (more < 0 ? payload >> BigInt(-more) : payload << BigInt(more)));
      }
      return a.infinite ? to.signed(a.negative, to.infinity) : pack(to, a.negative, a.magnitude, a.scale, mode);
    };

    const toInteger = (own, a, mode, width, signed) => {
      if (a.nan) return 0n;
      const magnitude = a.infinite ? 1n << BigInt(width) : rounded(a.magnitude, -a.scale, a.negative, mode);
      return asUintN(width, saturate(a.negative ? -magnitude : magnitude, width, signed));
    };

    /// The value of an operator; `width` is that of the first operand, `to` that of the value.
    const value = (operator, { rule, exponent, target, width, to, mode }, bits) => {
      if (operator === "ffromint") {
        const number = reading(bits[0], width, target);
        return pack(format(exponent, to), number < 0n, abs(number), 0, mode);
      }
      const own = format(exponent, width);
      const operands = bits.map((one) => unpack(own, one));
      if (operator === "fconvert") return convert(own, format(target, to), rule, mode, operands[0]);
      if (operator === "ftoint") return toInteger(own, operands[0], mode, to, target);
      const some = operands.some(({ nan }) => nan);
      if (operator === "funordered") return some ? 1n : 0n;
      if (operator in COMPARE) return !some && COMPARE[operator](own, ...operands) ? 1n : 0n;
      const [a, b, c] = operands;
      const invalid = c?.nan && ((a.infinite && b.zero) || (a.zero && b.infinite));
      if (rule === "signaling_first" && invalid && c.bits & own.quiet) return noNumber(own, rule);
      const order = c && rule === "signaling_first" ? [c, a, b] : operands;
      return nanOf(own, rule, order) ?? ARITHMETIC[operator](own, rule, mode, ...operands);
    };

    const ARITY = { fma: 3, fsqrt: 1, freciprocal: 1, frsqrt: 1, fround: 1, fconvert: 1, ftoint: 1, ffromint: 1 };
    const CONVERTS = ["fconvert", "ftoint", "ffromint"];
    const isOperator = (word) => word in ARITHMETIC || word in COMPARE || word === "funordered" || CONVERTS.includes(word);
    return { value, isOperator, arity: (word) => ARITY[word] ?? 2, converts: (word) => CONVERTS.includes(word), compares: (word) => word in COMPARE || word === "funordered" };
  })();

  const TOKEN = /(?:\s|#.*)*(?:([%@](?:"(?:[^"\\]|\\.)*"|[\w.$@]+))|(0x[0-9a-fA-F]+)|([A-Za-z_]\w*)|(\d+)|(\.\.=|\.\.|->|\+:|[^\s]))/gy;

  const tokens = (text) => {
    const found = [];
    TOKEN.lastIndex = 0;
    for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
      found.push(match.slice(1).find((group) => group !== undefined));
    }
    return found;
  };

  /// A function without parameters from its text: `name`; `args` and `results` with name and width, `range` for immediates; and
  /// `run(values)`, which gives the results' values.
  ///
  /// Expressions become pairs of functions of a frame, for the width and the value. A frame has the arguments' values, and
  /// those of indices and shared expressions by the places that they have here.
  const parse = (text) => {
    const list = tokens(text);
    let at = 0;
    const fail = (wanted) => {
      throw new SyntaxError(`${wanted} expected, not ${list[at] ?? "the end"}`);
    };
    const peek = (offset = 0) => list[at + offset];
    const eat = (token) => peek() === token && (at++, true);
    const expect = (token) => eat(token) || fail(`“${token}”`);
    const name = () => (/^[%@]/.test(peek() ?? "") ? list[at++].slice(1).replace(/^"|"$/g, "").replace(/\\(.)/g, "$1") : fail("a name"));
    const word = () => (/^[A-Za-z_]/.test(peek() ?? "") ? list[at++] : fail("a word"));
    const digits = () => (/^\d+$/.test(peek() ?? "") ? Number(list[at++]) : fail("a number"));
    const integer = () => (eat("-") ? -digits() : digits());

    const scope = new Map();
    let places = 0;
    const args = [];
    const results = [];

    const factor = () => {
      if (/^\d/.test(peek() ?? "")) {
        const value = digits();
        return () => value;
      }
      const known = scope.get(word());
      if (!known?.index) fail("an index");
      return ({ places }) => places[known.place];
    };
    const product = () => {
      const factors = [factor()];
      while (eat("*")) factors.push(factor());
      return factors.length === 1 ? factors[0] : (frame) => factors.reduce((value, own) => value * own(frame), 1);
    };
    const number = () => {
      const terms = [];
      let negative = eat("-");
      do {
        terms.push([negative ? -1 : 1, product()]);
        negative = peek() === "-";
      } while (eat("+") || eat("-"));
      if (terms.length === 1 && terms[0][0] === 1) return terms[0][1];
      return (frame) => terms.reduce((value, [sign, term]) => value + sign * term(frame), 0);
    };

    const signs = () => {
      const found = [];
      while (eat(".")) {
        if (eat("{")) {
          found.push(number());
          expect("}");
        } else {
          const signed = word() === "s" ? 1 : 0;
          found.push(() => signed);
        }
      }
      return found;
    };
    const operands = () => {
      expect("(");
      const found = [expression()];
      while (eat(",")) found.push(expression());
      expect(")");
      return found;
    };
    /// An operand and a width.
    const widened = () => {
      expect("(");
      const of = expression();
      expect(",");
      const width = number();
      expect(")");
      return { of, width };
    };
    const slice = () => {
      expect("+:");
      const width = number();
      expect("]");
      return width;
    };
    /// Brings an index into scope for what `inner` reads.
    const indexed = (inner) => {
      const own = word();
      expect("in");
      digits();
      expect("..");
      const count = number();
      const place = places++;
      scope.set(own, { index: true, place });
      const found = inner(place, count);
      scope.delete(own);
      return found;
    };
    const unsigned = () => 0;

    const fold = () => {
      const operator = word();
      const [signed = unsigned] = signs();
      expect("(");
      return indexed((place, count) => {
        expect(")");
        const shared = [];
        while (eat("let")) {
          shared.push(binding());
          expect("in");
        }
        const { width, value } = expression();
        for (const { own } of shared) scope.delete(own);
        return { width, value: (frame) => {
          let total;
          for (let index = 0; index < count(frame); index++) {
            frame.places[place] = index;
            for (const { set } of shared) set(frame);
            const next = value(frame);
            total = index === 0 ? next : binary(operator, total, next, width(frame), signed(frame));
          }
          return total;
        } };
      });
    };

    /// A floating-point operator from its formats on; the rounding mode is the last operand where there is one.
    const floating = (operator) => {
      const numbers = [];
      let rule = "open";
      while (eat(".")) {
        if (eat("{")) {
          numbers.push(number());
          expect("}");
        } else {
          const own = word();
          if (own === "s" || own === "u") numbers.push(() => (own === "s" ? 1 : 0));
          else rule = own;
        }
      }
      const [exponent, target = unsigned] = numbers;
      expect("(");
      const found = [expression()];
      let other;
      while (eat(",")) {
        if (float.converts(operator) && found.length === 2) other = number();
        else found.push(expression());
      }
      expect(")");
      const arity = float.arity(operator);
      const [of] = found;
      const width = float.compares(operator) ? () => 1 : (other ?? of.width);
      return { width, value: (frame) => {
        const mode = arity < found.length ? Number(found[arity].value(frame)) : 0;
        const numbers = { rule, exponent: exponent(frame), target: target(frame), width: of.width(frame), to: width(frame), mode };
        return float.value(operator, numbers, found.slice(0, arity).map((operand) => operand.value(frame)));
      } };
    };

    const operation = () => {
      const operator = word();
      if (operator === "fold") return fold();
      if (float.isOperator(operator) && (peek() === "(" || peek() === ".")) return floating(operator);
      if (peek() !== "(" && peek() !== ".") {
        const known = scope.get(operator);
        if (!known || known.index) fail("a shared expression");
        return { width: known.width, value: ({ places }) => places[known.place] };
      }
      const [signed = unsigned, target = unsigned] = signs();
      if (operator === "int") {
        expect("(");
        const value = number();
        expect(",");
        const width = number();
        expect(")");
        return { width, value: (frame) => asUintN(width(frame), BigInt(value(frame))) };
      }
      if (operator === "cast") {
        const { of, width } = widened();
        return { width, value: (frame) => asUintN(width(frame), reading(of.value(frame), of.width(frame), signed(frame))) };
      }
      if (operator === "saturate") {
        const { of, width } = widened();
        return { width, value: (frame) => {
          const bits = width(frame);
          return asUintN(bits, saturate(reading(of.value(frame), of.width(frame), signed(frame)), bits, target(frame)));
        } };
      }
      const found = operands();
      if (operator === "concat") {
        const width = (frame) => found.reduce((sum, part) => sum + part.width(frame), 0);
        return { width, value: (frame) => found.reduce((bits, part) => (bits << BigInt(part.width(frame))) | part.value(frame), 0n) };
      }
      const [left, right, other] = found;
      if (operator === "select") return { width: right.width, value: (frame) => (left.value(frame) ? right : other).value(frame) };
      if (operator in UNARY) {
        return { width: left.width, value: (frame) => {
          const bits = left.width(frame);
          return asUintN(bits, UNARY[operator](left.value(frame), bits));
        } };
      }
      if (operator in COMPARE) {
        return { width: () => 1, value: (frame) => {
          const [bits, sign] = [left.width(frame), signed(frame)];
          return COMPARE[operator](reading(left.value(frame), bits, sign), reading(right.value(frame), bits, sign)) ? 1n : 0n;
        } };
      }
      if (!(operator in BINARY) && !(operator in SHIFT)) fail("an operator");
      return { width: left.width, value: (frame) => binary(operator, left.value(frame), right.value(frame), left.width(frame), signed(frame)) };
    };

    const literal = () => {
      const value = BigInt(list[at++]);
      expect(":");
      const bits = digits();
      return { width: () => bits, value: () => value };
    };

    const primary = () => {
      if (eat("(")) {
        const inner = expression();
        expect(")");
        return inner;
      }
      if (peek()?.startsWith("0x")) return literal();
      if (!peek()?.startsWith("%")) return operation();
      const own = name();
      const position = args.findIndex((arg) => arg.name === own);
      if (position < 0) fail("an argument");
      const { width } = args[position];
      return { width: () => width, value: ({ values }) => values[position] };
    };

    const expression = () => {
      let result = primary();
      while (eat("[")) {
        const of = result;
        const computed = eat("at") && expression();
        const low = computed ? computed.value : number();
        const width = slice();
        result = { width, value: (frame) => asUintN(width(frame), of.value(frame) >> BigInt(low(frame))) };
      }
      return result;
    };

    /// A shared expression, from its name on; `set` evaluates it.
    const binding = () => {
      const own = word();
      expect("=");
      const { width, value } = expression();
      const place = places++;
      scope.set(own, { place, width });
      return { own, set: (frame) => (frame.places[place] = value(frame)) };
    };

    /// Statements up to the closing brace, as functions of a frame.
    const statements = () => {
      const found = [];
      const shared = [];
      while (!eat("}")) {
        if (eat("let")) {
          const { own, set } = binding();
          shared.push(own);
          found.push(set);
        } else if (eat("for")) {
          found.push(indexed((place, count) => {
            expect("{");
            const body = statements();
            return (frame) => {
              for (let index = 0; index < count(frame); index++) {
                frame.places[place] = index;
                for (const statement of body) statement(frame);
              }
            };
          }));
        } else {
          found.push(assignment());
        }
      }
      for (const own of shared) scope.delete(own);
      return found;
    };

    const assignment = () => {
      const own = name();
      const position = results.findIndex((result) => result.name === own);
      if (position < 0) fail("a result");
      expect("[");
      const low = number();
      const width = slice();
      expect("=");
      const { value } = expression();
      return (frame) => {
        const from = BigInt(low(frame));
        const hole = ones(width(frame)) << from;
        frame.results[position] = (frame.results[position] & ~hole) | (value(frame) << from);
      };
    };

    /// Names with widths in brackets.
    const slots = (into) => {
      expect("(");
      while (!eat(")")) {
        const own = name();
        expect(":");
        const slot = { name: own, width: number()({ places: [] }) };
        if (eat("imm")) {
          const low = integer();
          expect("..=");
          slot.range = [low, integer()];
        } else if (eat("mem") && eat("align")) {
          integer();
        }
        into.push(slot);
        eat(",");
      }
    };

    expect("func");
    const own = name();
    slots(args);
    expect("->");
    slots(results);
    expect("{");
    const body = statements();
    if (at < list.length) fail("the end");
    return {
      name: own,
      args,
      results,
      run: (values) => {
        const frame = { values: values.map((value, position) => asUintN(args[position].width, value)), results: results.map(() => 0n), places: [] };
        for (const statement of body) statement(frame);
        return frame.results;
      },
    };
  };

  return { parse };
})();
