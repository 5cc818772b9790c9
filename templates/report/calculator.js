// A box on an instruction's page that evaluates its function on values that the reader writes.
"use strict";

hydride.calculator = (() => {
  const { h } = hydride;
  const ELEMENT_WIDTHS = [8, 16, 32, 64];

  const hexadecimal = (value, width) => `0x${value.toString(16).padStart(Math.ceil(width / 4), "0")}`;

  /// The elements of a value, lowest first.
  const elements = (value, width, element, signed) => {
    const found = [];
    for (let low = 0; low < width; low += element) {
      const own = BigInt.asUintN(Math.min(element, width - low), value >> BigInt(low));
      found.push(signed ? BigInt.asIntN(element, own) : own);
    }
    return found;
  };

  /// The value of a text: a hexadecimal number, or with commas elements of so many bits, the lowest first.
  const read = (text, width, element) => {
    const parts = text.split(",").map((part) => part.trim());
    if (parts.length === 1) {
      if (!/^(0x)?[0-9a-f]+$/i.test(parts[0])) throw new RangeError("a hexadecimal number, or elements with commas");
      const value = BigInt(`0x${parts[0].replace(/^0x/i, "")}`);
      if (value >> BigInt(width)) throw new RangeError(`more than ${width} bits`);
      return value;
    }
    if (parts.at(-1) === "") parts.pop();
    if (parts.length * element > width) throw new RangeError(`more than ${width / element} elements`);
    return parts.reduceRight((rest, part) => {
      if (!/^-?(0x[0-9a-f]+|\d+)$/i.test(part)) throw new RangeError(`“${part}” is no integer`);
      const own = part.startsWith("-") ? -BigInt(part.slice(1)) : BigInt(part);
      if (own >= 1n << BigInt(element) || own < -(1n << BigInt(element - 1))) throw new RangeError(`${part} is not in ${element} bits`);
      return (rest << BigInt(element)) | BigInt.asUintN(element, own);
    }, 0n);
  };

  const readImmediate = (text, [low, high]) => {
    if (!/^-?\d+$/.test(text.trim())) throw new RangeError(`an integer from ${low} to ${high}`);
    const value = Number(text);
    if (value < low || value > high) throw new RangeError(`not from ${low} to ${high}`);
    return BigInt(value);
  };

  /// What is there at first: elements that count, from another number on for each argument; for a mask every second bit.
  const first = (position, width, element, isMask) => {
    const size = isMask ? 2 : Math.min(element, width);
    let value = 0n;
    for (let low = 0; low < width; low += size) {
      const own = isMask ? 1n : BigInt(low / size + 1 + 16 * position);
      value |= BigInt.asUintN(Math.min(size, width - low), own) << BigInt(low);
    }
    return value;
  };

  const random = (width) => {
    let value = 0n;
    for (let low = 0; low < width; low += 32) value |= BigInt(Math.floor(Math.random() * 2 ** 32)) << BigInt(low);
    return BigInt.asUintN(width, value);
  };

  /// `found` is a modelled entry and `text` its whole function.
  return (found, text) => {
    const { model } = hydride;
    const { member } = found;
    const instruction = hydride.ir.parse(text);
    const [, , width] = /^(\d+×)?[a-z]+(\d+)/.exec(model.shape(member.op, member.instance)) ?? [];
    const widest = Math.max(...instruction.results.map((result) => result.width));
    const known = ELEMENT_WIDTHS.filter((own) => own <= widest);
    const size = h("select", { "aria-label": "Bits of an element" }, known.map((own) => h("option", { selected: own === Number(width) }, own)));
    const signed = h("input", { type: "checkbox" });
    const element = () => Number(size.value) || widest;

    const fields = instruction.args.map(({ name, width, range }, position) => {
      const value = range ? Math.max(range[0], Math.min(1, range[1])) : hexadecimal(first(position, width, element(), position === member.mask), width);
      const id = `value-${position}`;
      const wrong = h("p", { class: "wrong", id: `${id}-wrong`, role: "status" });
      const input = range
        ? h("input", { id, type: "number", min: range[0], max: range[1], value, "aria-describedby": wrong.id })
        : h("input", { id, type: "text", value, spellcheck: "false", autocomplete: "off", autocapitalize: "off", "aria-describedby": wrong.id });
      const kind = range ? `${range[0]}…${range[1]}` : hydride.plural(width, "bit");
      return { name, width, range, input, wrong, row: h("div", { class: "value" }, h("label", { for: id }, h("code", null, name), h("span", { class: "muted" }, ` ${kind}`)), input, wrong) };
    });

    const output = h("div", { class: "values", role: "status" });
    const command = h("code", null);

    const take = ({ input, wrong, width, range }) => {
      try {
        const value = range ? readImmediate(input.value, range) : read(input.value, width, element());
        wrong.textContent = "";
        input.removeAttribute("aria-invalid");
        return value;
      } catch (error) {
        wrong.textContent = error.message;
        input.setAttribute("aria-invalid", "true");
        return undefined;
      }
    };

    const update = () => {
      const values = fields.map(take);
      if (values.includes(undefined)) return output.replaceChildren();
      const shown = values.map((value, position) => (fields[position].range ? String(value) : hexadecimal(value, fields[position].width)));
      command.textContent = ["hydride eval --isa", found.isa, "--id", found.id, ...shown].join(" ");
      output.replaceChildren(...instruction.run(values).map((value, position) => {
        const { name, width } = instruction.results[position];
        const list = elements(value, width, element(), signed.checked);
        return h("div", { class: "value" },
          h("span", null, h("code", null, name), h("span", { class: "muted" }, ` ${hydride.plural(width, "bit")}`)),
          h("output", { class: "mono whole" }, hexadecimal(value, width)),
          list.length > 1 && h("p", { class: "mono elements" }, list.join(", ")));
      }));
    };

    const fill = () => {
      for (const { input, width, range } of fields) {
        input.value = range ? range[0] + Math.floor(Math.random() * (range[1] - range[0] + 1)) : hexadecimal(random(width), width);
      }
      update();
    };

    const box = h("form", { class: "calculator", oninput: update, onsubmit: (event) => event.preventDefault() },
      fields.map(({ row }) => row),
      h("p", { class: "settings" },
        h("button", { type: "button", onclick: fill }, "Random values"),
        h("label", null, "Elements of ", size, " bits"),
        h("label", null, signed, " signed")),
      output,
      h("p", { class: "muted" }, "A register is a hexadecimal number, or its elements with commas, the lowest first. The same in a shell: ", command));
    update();
    return box;
  };
})();
