// The page of one operation: what it computes, its parameters, and its members on each instruction set side by side.
"use strict";

/// The lines of a formula.
hydride.formulaBox = ([lines, more]) => {
  const { h } = hydride;
  return h("div", { class: "math", tabindex: "0", role: "group", "aria-label": "Formula" },
    lines.map(([equation, range]) => h("div", { class: "equation" },
      h("span", null, hydride.math(equation)), range && h("span", { class: "range" }, hydride.math(range)))),
    more > 0 && h("p", { class: "muted" }, `… and ${hydride.plural(more, "more statement")}; the IR text has all of them.`));
};

/// What a member does with its operation's result, in words.
hydride.modifiers = ({ masking, layout, negated, part }) => [
  masking !== "none" && [masking, layout && layout[0] !== 1 && `by every bit ${layout[0]}`, negated && "by bits that are 0"].filter(Boolean).join(" "),
  part && `part ${part[0]} +: ${part[1]}`,
].filter(Boolean);

/// A formula at a member's parameters, and what the member does with its result.
hydride.memberFormula = (formula, member) => {
  const words = [member.masking !== "none" && "under a mask", member.part && `in ${member.part[1]} bits of the result from bit ${member.part[0]} on`].filter(Boolean);
  const note = words.length > 0 && hydride.h("p", { class: "muted" }, `The instruction does this ${words.join(", ")}.`);
  return [hydride.formulaBox(formula), note].filter(Boolean);
};

hydride.notation = () => {
  const { h, math } = hydride;
  const rows = [
    ["x_{w}[q]", "element q of x in elements of w bits"],
    ["x[p +: w]", "w bits from bit p on"],
    ["sext_{w}, zext_{w}, trunc_{w}", "extended with the sign or with zeros to w bits; the low w bits"],
    ["cast_{f, w}, scast_{w}, zcast_{w}", "extended or cut to w bits; the parameter f says whether signed"],
    ["sat_{s→u8}", "read signed, clamped to what 8 bits hold unsigned"],
    ["∧ ∨ ⊕ ¬", "bit by bit: and, or, exclusive or, not"],
    ["≪ ≫_{s} ≫_{u}", "shifts; to the right with the sign or with zeros"],
    ["a ∥ b", "side by side, a in the high bits"],
    ["c ? a : b", "a where the bit c is 1, else b"],
    ["every(x)", "x in every element; every_{w}: the copies w bits apart"],
  ];
  return h("details", { class: "notation" }, h("summary", null, "Notation"),
    h("dl", null, rows.map(([sign, meaning]) => [h("dt", null, math(sign)), h("dd", null, meaning)])));
};

hydride.operationPage = (() => {
  const { h, number } = hydride;

  const badges = ({ member, errata }) => [
    hydride.modifiers(member).map((word) => h("span", { class: "tag", title: "what is done with the result" }, word)),
    member.proof !== "structural" && h("span", { class: `tag proof-${member.proof}`, title: "how the membership is proved" }, member.proof),
    hydride.trustTag(member.trust),
    errata.length > 0 && h("span", { class: "tag erratum", title: errata.map(([note]) => note).join("\n") }, "erratum"),
  ];

  const memberLink = (found) => h("a", { class: "mono", href: hydride.link.instruction(found.isa, found.id), title: found.extensions.join(", ") }, found.id);

  /// Rows are parameter values, columns instruction sets.
  const sideBySide = (op, entries) => {
    const { model } = hydride;
    const shown = model.isas.map((isa, position) => position).filter((position) => op.counts[position]);
    const rows = op.instances.map(() => model.isas.map(() => []));
    for (const found of entries) rows[found.member.instance][found.isaPosition].push(found);
    return h("table", { class: "members" },
      h("thead", null, h("tr", null,
        h("th", { scope: "col" }, "Shape"),
        op.params.map((param) => h("th", { scope: "col", class: "n param", title: param }, hydride.breakable(param))),
        shown.map((position) => h("th", { scope: "col", class: `isa${position}-head` }, model.isas[position].name)))),
      h("tbody", null, rows.map((cells, instance) => (cells.every((cell) => !cell.length) ? null : h("tr", null,
        h("th", { scope: "row", class: "shape" }, model.shape(op, instance)),
        op.instances[instance][0].map((value) => h("td", { class: "n" }, value)),
        shown.map((position) => h("td", null, cells[position].map((found) =>
          h("div", { class: "member" }, memberLink(found), h("span", { class: "tags" }, badges(found)))))))))));
  };

  /// One row for each member, with everything that is known of it.
  const listed = (op, entries) => h("table", { class: "members" },
    h("thead", null, h("tr", null,
      ["Set", "Member", "Arguments", "Masking and part", "Proof", "Trust", "Features"].map((title) => h("th", { scope: "col" }, title)),
      op.params.map((param) => h("th", { scope: "col", class: "n param", title: param }, hydride.breakable(param))),
      h("th", { scope: "col" }, "Errata"))),
    h("tbody", null, entries.map((found) => {
      const { member } = found;
      return h("tr", null,
        h("td", null, hydride.isaTag(found.isaPosition, found.isa)),
        h("th", { scope: "row" }, memberLink(found)),
        h("td", { class: "mono" }, member.args.map((source) => hydride.model.source(source, member.signature)).join(", ")),
        h("td", null, hydride.modifiers(member).join(", ") || h("span", { class: "muted" }, "none"), member.masking !== "none" && ` (${member.signature.args[member.mask]?.name ?? "?"})`),
        h("td", null, member.proof),
        h("td", null, hydride.trustTag(member.trust)),
        h("td", { class: "ext" }, found.extensions.join(" ")),
        member.params.map((value) => h("td", { class: "n" }, value)),
        h("td", null, found.errata.map(([note]) => note).join(" ")));
    })));

  const parameters = (op) => {
    const values = op.params.map((_, position) => [...new Set(op.instances.map(([params]) => params[position]))].sort((a, b) => a - b));
    const text = (list) => (list.length > 14 ? `${list.slice(0, 12).join(", ")}, … ${list.at(-1)} (${list.length} values)` : list.join(", "));
    return h("div", { class: "scroll" }, h("table", { class: "figures params" },
      h("thead", null, h("tr", null, ["Parameter", "Kind", "Given by", "Values among the members"].map((title) => h("th", { scope: "col" }, title)))),
      h("tbody", null, op.params.map((param, position) => h("tr", null,
        h("th", { scope: "row", class: "mono" }, param),
        h("td", null, op.signs.includes(position) ? "sign" : "number"),
        h("td", null, op.attributes.includes(position) ? "an attribute" : "types"),
        h("td", { class: "mono" }, text(values[position])))))));
  };

  return (name, into) => {
    const { model } = hydride;
    const op = model.opNamed.get(name);
    if (!op) return hydride.notFound(into, `There is no operation ${name}.`, name);
    const entries = op.members.map(model.entry);
    const trusts = new Map();
    for (const { member } of entries) trusts.set(member.trust, (trusts.get(member.trust) ?? 0) + 1);
    const formula = h("div", { class: "formulas" }, h("p", { class: "muted" }, "…"));
    const text = h("div");
    const members = h("div", { class: "scroll long", tabindex: "0", role: "group", "aria-label": "Members" });
    const views = { "side by side": sideBySide, list: listed };
    const buttons = Object.entries(views).map(([title, view]) => h("button", { type: "button", onclick: () => show(title, view) }, title));
    const show = (title, view) => {
      members.replaceChildren(view(op, entries));
      for (const button of buttons) button.setAttribute("aria-pressed", String(button.textContent === title));
    };
    show("side by side", sideBySide);
    const args = op.args.map(([arg, immediate]) => (immediate ? `${arg} (immediate)` : arg)).join(", ");
    into.replaceChildren(h("article", null,
      h("p", { class: "crumb" }, h("a", { href: "#/ops" }, "Operations")),
      h("h1", null, op.name),
      op.summary && h("p", null, op.summary),
      h("p", { class: "facts" },
        model.isas.map((isa, position) => op.counts[position] > 0 && [hydride.isaTag(position, `${isa.name} ${number(op.counts[position])}`), " "]),
        [...trusts].map(([trust, count]) => [h("span", { class: `tag trust-${trust}` }, `${trust} ${number(count)}`), " "]),
        op.category && [h("a", { class: "tag", title: "its category", href: hydride.link.list("ops", `cat:${hydride.query.quoted(op.category)}`) }, op.category), " "],
        op.commutative && h("span", { class: "tag", title: "exchanging the first two arguments is proved to change nothing" }, "commutative"),
        entries.some((found) => found.errata.length) && [" ", h("span", { class: "tag erratum" }, "errata")]),
      op.aliases.length > 0 && h("p", { class: "muted" }, `Formerly ${op.aliases.join(", ")}.`),
      op.family !== op.name && h("p", { class: "muted" }, "A form of the family ", h("code", null, op.family), "."),
      h("h2", null, "What it computes"),
      formula,
      hydride.notation(),
      h("p", { class: "muted" }, `Arguments: ${args || "none"}. LLVM: `, h("code", null, `llvm.autollvm.${op.name}`), ". MLIR: ", h("code", null, `autollvm.${op.name}`), "."),
      op.params.length > 0 && [h("h2", null, "Parameters"), parameters(op)],
      h("div", { class: "heading" }, h("h2", null, "Members"), h("div", { class: "switch", role: "group", "aria-label": "Form of the table" }, buttons)),
      h("p", { class: "muted" }, "Members in one row have the same parameter values: on their arguments they compute the same, masks and parts aside. ",
        h("a", { href: hydride.link.list("search", `op=${op.name}`) }, "Search among them")),
      members,
      h("h2", null, "IR text"),
      text));
    hydride.detail(op).then((detail) => {
      const parts = [hydride.formulaBox(detail.formulas[detail.formula])];
      if (op.params.length) {
        // Beside the general formula that of an instance, which is much shorter.
        const box = h("div");
        const choose = ({ isa, id }) => box.replaceChildren(...hydride.memberFormula(detail.formulas[detail.members[isa][id][0]], model.entry(model.find(isa, id)).member));
        const first = entries.findIndex((found) => found.member.instance === op.example);
        const select = h("select", { "aria-label": "Member whose formula is shown", onchange: () => choose(entries[select.selectedIndex]) },
          entries.map((found, position) => h("option", { selected: position === first }, `${found.id}: ${model.shape(op, found.member.instance)}`)));
        choose(entries[first]);
        parts.push(h("label", { class: "muted" }, "With the parameters of ", select), box);
      }
      formula.replaceChildren(...parts);
      text.replaceChildren(hydride.code(...detail.text));
    }).catch((error) => formula.replaceChildren(h("p", { class: "note" }, error.message)));
  };
})();

/// A name that may be broken after an underscore.
hydride.breakable = (name) => name.split(/(?<=_)/).flatMap((part, position) => (position ? [hydride.h("wbr"), part] : [part]));
