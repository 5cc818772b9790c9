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

    const operation = () => {
      const operator = word();
      if (operator === "fold") return fold();
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
