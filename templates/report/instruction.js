// The page of one entry: what became of it, and what it is among its like on other instruction sets.
"use strict";

hydride.instructionPage = (() => {
  const { h, number } = hydride;
  const MAX_SIBLINGS = 24;
  const MAX_TEXT = 6000;

  /// A text up to the end of a line, if it is long.
  const start = (text) => (text.length <= MAX_TEXT ? text : text.slice(0, text.lastIndexOf("\n", MAX_TEXT) + 1));

  const facts = (rows) => h("dl", { class: "facts" }, rows.filter(Boolean).map(([term, ...rest]) => [h("dt", null, term), h("dd", null, rest)]));

  const prototype = (found) => {
    const { signature } = found;
    const args = signature.args.map(({ type, name, range }) => [
      h("span", { class: "t-k" }, type), " ", name, range && h("span", { class: "muted" }, ` ${range[0]}…${range[1]}`),
    ]);
    const spaced = args.flatMap((arg, position) => (position ? [", ", arg] : [arg]));
    return h("pre", { class: "prototype", tabindex: "0" }, h("code", null,
      h("span", { class: "t-k" }, signature.results.join(", ") || "void"), " ", h("b", null, found.intrinsic), "(", spaced, ")"));
  };

  const words = (list, field) => list.flatMap((word, position) => [position ? ", " : "", h("a", { href: hydride.link.list("search", `${field}=${hydride.query.quoted(word)}`) }, word)]);

  /// Machine instructions and features, as rows of facts.
  const machine = ({ mnemonics, extensions }) => [
    mnemonics.length > 0 && ["Instruction", h("span", { class: "mono" }, words(mnemonics, "asm"))],
    extensions.length > 0 && ["Features", h("span", { class: "mono" }, words(extensions, "ext"))],
  ];

  const argument = (signature, position) => h("code", null, signature.args[position]?.name ?? "?");

  const maskingText = ({ masking, mask, pass, layout, negated, signature }) => {
    if (masking === "none") return "none";
    const [stride, lane] = layout ?? [1];
    const which = [
      layout ? `each ${lane} bits of the result` : "elements",
      " whose bit of ", argument(signature, mask), stride === 1 ? "" : ` (at a multiple of ${stride})`, ` is ${negated ? 1 : 0} `,
    ];
    if (masking === "zero") return ["zero: ", which, "become 0"];
    return ["merge: ", which, pass < 0 ? "are kept" : ["are those of ", argument(signature, pass)]];
  };

  const partText = ({ part: [low, width, rest], signature }) => [`${width} bits of the result from bit ${low} on; the others are those of `, argument(signature, rest)];

  const trustText = (member) => {
    if (member.runs.length) {
      return member.runs.map(({ 0: cpu, 1: inputs, 2: seed }) => h("div", null, `no difference to ${cpu} on ${hydride.plural(inputs, "input")}, seed ${seed}`));
    }
    if (member.trust === "proved") return "the canonical form is proved equal to what the document says; no run on hardware is recorded";
    if (member.trust === "parsed") return "read from the document; no run on hardware is recorded";
    return member.trust;
  };

  /// Members of other instruction sets (then of this one): first those with the same parameter values.
  const siblings = (found) => {
    const { model } = hydride;
    const { op, instance } = found.member;
    const sections = model.isas.map((isa, position) => {
      const members = op.members.filter((entry) => model.isa[entry] === position && entry !== found.entry).map(model.entry);
      if (!members.length) return null;
      members.sort((a, b) => (b.member.instance === instance) - (a.member.instance === instance) || a.entry - b.entry);
      const same = members.filter(({ member }) => member.instance === instance).length;
      const rest = members.length - MAX_SIBLINGS;
      return { own: isa.name === found.isa, element: h("section", null,
        h("h3", null, hydride.isaTag(position, isa.name), " ", h("span", { class: "muted" }, `${hydride.plural(members.length, "member")}, ${same ? `${number(same)} with the same parameters` : "none with the same parameters"}`)),
        h("ul", { class: "siblings" }, members.slice(0, MAX_SIBLINGS).map((other) => h("li", { class: other.member.instance === instance ? "same" : undefined },
          h("a", { class: "mono", href: hydride.link.instruction(other.isa, other.id) }, other.id),
          h("span", { class: "muted" }, ` ${model.shape(op, other.member.instance)}${hydride.modifiers(other.member).map((word) => `, ${word}`).join("")}`)))),
        rest > 0 && h("p", null, h("a", { href: hydride.link.list("search", `op=${op.name} isa:${isa.name}`) }, `${number(rest)} more`))) };
    }).filter(Boolean);
    sections.sort((a, b) => a.own - b.own);
    return sections.length ? h("div", { class: "columns" }, sections.map(({ element }) => element)) : h("p", { class: "muted" }, "It is the only member.");
  };

  return (isa, id, into) => {
    const { model } = hydride;
    const entry = model.find(isa, id);
    if (entry < 0) return hydride.notFound(into, `There is no entry ${id} of ${isa}.`, id);
    const found = model.entry(entry);
    const { member } = found;
    const formula = h("div", null, h("p", { class: "muted" }, "…"));
    const text = h("div");
    const trial = h("div");
    const errata = found.errata.length > 0 && [
      h("h2", null, "Errata"),
      h("ul", { class: "errata" }, found.errata.map(([note, evidence]) => h("li", null, note, h("div", { class: "muted" }, `Evidence: ${evidence}`)))),
    ];
    const head = [
      h("p", { class: "crumb" }, member
        ? [h("a", { href: "#/ops" }, "Operations"), " / ", h("a", { href: hydride.link.op(member.op.name) }, member.op.name)]
        : h("a", { href: "#/ledger" }, "Ledger")),
      h("h1", { class: "mono" }, id),
      h("p", { class: "facts" }, hydride.isaTag(found.isaPosition, isa), " ", h("span", { class: `tag status-${found.status}` }, found.status), " ",
        member && [hydride.trustTag(member.trust), " "], found.errata.length > 0 && h("span", { class: "tag erratum" }, "erratum")),
    ];
    if (!member) {
      into.replaceChildren(h("article", null, head,
        found.signature && prototype(found),
        facts([
          ["Reason", h("a", { href: hydride.link.list("ledger", `isa:${isa} reason=${found.reason}`) }, found.reason), `: ${hydride.reasons[found.reason] ?? "it could not be read"}`],
          found.message && ["Because of", found.message.replaceAll("`", "")],
          ...machine(found),
          ["Place", h("code", null, found.place)],
        ]), errata));
      return;
    }
    const { group } = model.maskedVariants();
    const ports = model.portsOf(entry);
    const variants = member.op.members.filter((other) => other !== entry && group[other] === group[entry]);
    const params = member.op.params.map((param, position) => `${param} = ${member.params[position]}`);
    into.replaceChildren(h("article", null, head,
      prototype(found),
      h("h2", null, "What it computes"),
      formula,
      hydride.notation(),
      facts([
        ["Operation", h("a", { class: "mono", href: hydride.link.op(member.op.name) }, member.op.name), h("span", { class: "muted" }, ` ${model.shape(member.op, member.instance)}`)],
        params.length && ["Parameters", h("span", { class: "mono" }, params.join(", "))],
        ["Arguments", h("span", { class: "mono" }, member.op.args.map(([arg], position) => `${arg} = ${model.source(member.args[position], member.signature)}`).join(", ") || "none")],
        ["Masking", maskingText(member)],
        member.part && ["Part", partText(member)],
        variants.length > 0 && ["Masked variants", variants.flatMap((other, position) => [position > 0 && ", ",
          h("a", { class: "mono", href: hydride.link.instruction(isa, model.ids[other]) }, model.ids[other])])],
        ["Proof", member.proof === "structural" ? "structural: the same expression after normalization" : member.proof === "smt" ? "smt: a solver proved it equal" : member.proof],
        ["Validation", trustText(member)],
        ports.length > 0 && ["As a sequence", ports.flatMap(({ to, page }, position) => [position > 0 && ", ",
          h("a", { href: `${page}#${encodeURIComponent(id)}` }, `on ${to}`)])],
        ...machine(found),
        ["Place", h("code", null, found.place)],
      ]),
      errata,
      h("h2", null, "Try it"),
      trial,
      h("h2", null, "Nearest equivalents"),
      h("p", { class: "muted" }, "On each instruction set, by the operation's parameters", (member.masking !== "none" || member.part) && ", mask and part aside",
        ". Moves between registers are not counted."),
      hydride.equivalents.table(found),
      h("h2", null, "Siblings"),
      h("p", { class: "muted" }, "Other members of ", h("a", { href: hydride.link.op(member.op.name) }, member.op.name), "; marked ones have the same parameters."),
      siblings(found),
      h("h2", null, "IR text"),
      text));
    hydride.detail(member.op).then((detail) => {
      const [position, whole, canonical] = detail.members[isa][id];
      formula.replaceChildren(...hydride.memberFormula(detail.formulas[position], member));
      text.replaceChildren(h("p", { class: "muted" }, canonical ? "The canonical form, masks included." : "As parsed: it has no lane form."), hydride.code(start(whole), whole.length));
      trial.replaceChildren(hydride.calculator(found, whole));
    }).catch((error) => formula.replaceChildren(h("p", { class: "note" }, error.message)));
  };
})();
