// What does the same as an instruction on each instruction set, how many instructions that takes, and what they cost.
"use strict";

hydride.equivalents = (() => {
  const { h } = hydride;
  const MAX_RELATED = 3;

  /// How many times an instance is needed to do what another one does: once with the same parameters, and in a wider
  /// register; more often where it has fewer elements, each computed by itself. Undefined where it does something else.
  const times = (op, wanted, instance) => {
    if (instance === wanted) return 1;
    if (op.elements === null) return undefined;
    const [[params], [others]] = [op.instances[wanted], op.instances[instance]];
    if (params.some((value, position) => position !== op.elements && value !== others[position])) return undefined;
    const ratio = params[op.elements] / others[op.elements];
    if (ratio < 1) return 1;
    return Number.isInteger(ratio) ? ratio : undefined;
  };

  const uops = ({ costs }) => Math.max(0, ...costs.map(([, , own]) => own));

  /// The members of an operation on an instruction set that compute its whole result without a mask.
  const plainMembers = (op, isa) => op.members.filter((entry) => hydride.model.isa[entry] === isa).map(hydride.model.entry)
    .filter(({ member }) => member.masking === "none" && !member.part);

  /// The nearest equivalent of a modelled entry on an instruction set: { found, count, wider }, or undefined.
  const nearest = (wanted, isa) => {
    const { op, instance } = wanted.member;
    const width = (other) => (op.elements === null ? 0 : op.instances[other][0][op.elements]);
    const candidates = plainMembers(op, isa)
      .map((found) => ({ found, count: times(op, instance, found.member.instance), wider: width(found.member.instance) - width(instance) }))
      .filter(({ count }) => count !== undefined);
    const own = ({ found }) => (found.entry === wanted.entry ? 0 : 1);
    candidates.sort((a, b) => a.count - b.count || a.wider - b.wider || own(a) - own(b) ||
      uops(a.found.member) - uops(b.found.member) || a.found.id.length - b.found.id.length || a.found.entry - b.found.entry);
    return candidates[0];
  };

  /// The member on an instruction set with the fewest other parameters, and what these are.
  const closest = (wanted, isa) => {
    const { op, params } = wanted.member;
    const differences = (found) => params.flatMap((value, position) => (value === found.member.params[position] ? [] : [[op.params[position], found.member.params[position], value]]));
    const members = plainMembers(op, isa).map((found) => ({ found, others: differences(found) }));
    return members.sort((a, b) => a.others.length - b.others.length || a.found.entry - b.found.entry)[0];
  };

  const link = (found) => h("a", { class: "mono", href: hydride.link.instruction(found.isa, found.id) }, found.id);

  const cost = ({ member }, count) => (member.costs.length
    ? member.costs.map(([cpu, latency, own]) => h("div", null, `${cpu}: ${hydride.plural(own * count, "micro-operation")}, latency ${latency}`))
    : h("span", { class: "muted" }, "not on record"));

  const how = ({ count, wider }) => (count > 1 ? `each on 1/${count} of the elements` : wider > 0 ? "in a part of a wider register" : "the same");

  const row = (wanted, position) => {
    const { model } = hydride;
    const { op } = wanted.member;
    const head = h("th", { scope: "row" }, hydride.isaTag(position, model.isas[position].name));
    const found = nearest(wanted, position);
    if (found) return h("tr", null, head, h("td", { class: "n" }, found.count), h("td", null, link(found.found)), h("td", null, how(found)), h("td", null, cost(found.found, found.count)));
    const other = closest(wanted, position);
    if (other) {
      const text = other.others.map(([name, value, own]) => `${name} ${value} instead of ${own}`).join(", ");
      return h("tr", null, head, h("td", { class: "n muted" }, "–"), h("td", null, link(other.found)), h("td", { class: "muted" }, `the closest, with ${text}`), h("td"));
    }
    const related = model.ops.filter((own) => own !== op && own.family === op.family && own.counts[position] > 0).slice(0, MAX_RELATED);
    return h("tr", null, head, h("td", { class: "n muted" }, "–"), h("td", { class: "muted", colspan: "3" },
      related.length ? ["no member; of the same family: ", related.flatMap((own, at) => [at > 0 && ", ", h("a", { class: "mono", href: hydride.link.op(own.name) }, own.name)])] : "no member"));
  };

  /// A table with a row for each instruction set.
  const table = (wanted) => h("div", { class: "scroll" }, h("table", { class: "figures equivalents" },
    h("thead", null, h("tr", null, ["Set", "Number", "Instruction", "How", "Cost of all"].map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", null, hydride.model.isas.map((_, position) => row(wanted, position)))));

  return { nearest, table };
})();
