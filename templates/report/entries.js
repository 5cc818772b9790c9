// The pages that list entries: all instructions, and the ledger of those that are not modelled.
"use strict";

hydride.isaTag = (position, name) => hydride.h("span", { class: `tag isa${position}` }, name);

hydride.trustTag = (trust) => hydride.h("span", { class: `tag trust-${trust}` }, trust);

/// Buttons that add and take away words of the query, with how many of the results have each. `at` gives the position
/// of a result among the field's texts, or -1.
hydride.chips = (field, query, found, at) => {
  const { h, number, model } = hydride;
  const { texts, about } = model.fields[field];
  const counts = texts.map(() => 0);
  for (const item of found) {
    const position = at(item);
    if (position >= 0) counts[position]++;
  }
  const words = hydride.query.parse(query, model.fields).terms.map((term) => term.text);
  return h("div", { class: "chips", role: "group", "aria-label": about }, texts.map(([text], position) => {
    const on = words.includes(`${field}:${hydride.query.quoted(text)}`);
    if (!on && counts[position] === 0) return null;
    return h("button", {
      type: "button",
      "aria-pressed": String(on),
      onclick: () => hydride.setQuery(hydride.query.toggled(query, field, text, model.fields)),
    }, text, h("span", { class: "count" }, number(counts[position])));
  }));
};

/// What to search for instead of what finds nothing. `count` gives the number of results of a text.
hydride.hints = (page, query, count) => {
  const { h, number, link, model } = hydride;
  const hints = hydride.query.hints(query, model, count);
  const to = ({ text, count }, shown) => h("a", { href: link.list(page, text) }, shown, h("span", { class: "count" }, number(count)));
  const near = hints.filter(({ word }) => word !== undefined);
  const shorter = hints.filter(({ without }) => without !== undefined);
  return [h("p", { class: "hints", role: "status" }, "Nothing is found. ",
    near.length > 0 && ["Did you mean ", near.map((hint, position) => [position > 0 && " or ", to(hint, hint.text)]), "? "],
    shorter.map((hint) => ["Without “", hint.without, "”: ", to(hint, hint.text), ". "]))];
};

hydride.entriesPage = (() => {
  const { h, number } = hydride;
  const MAX_OPERATIONS = 10;

  // The list's rows are the first entries of `folded`; by row, the other entries in its line.
  let folded = new Map();

  const variants = (entry) => {
    const others = folded.get(entry);
    if (!others?.length) return null;
    const { ids, isas, isa, maskedVariants } = hydride.model;
    const { variant } = maskedVariants();
    return h("span", { class: "variants" }, others.map((other) =>
      h("a", { href: hydride.link.instruction(isas[isa[other]].name, ids[other]), title: ids[other], tabindex: "-1" }, variant.get(other) ?? "unmasked")));
  };

  const name = { title: "Name", class: "name", cell: (entry) => h("span", { class: "id" }, hydride.model.ids[entry]), beside: variants };
  const isa = {
    title: "Set",
    class: "isa",
    cell: (entry) => hydride.isaTag(hydride.model.isa[entry], hydride.model.isas[hydride.model.isa[entry]].name),
  };
  const of = (text) => (entry) => text(hydride.model.entry(entry));
  const pages = {
    search: {
      label: "Instructions",
      only: undefined,
      chips: ["isa", "status", "trust", "cat"],
      columns: [
        name,
        isa,
        { title: "Operation", class: "op", cell: of(({ member, reason }) =>
          member ? h("a", { href: hydride.link.op(member.op.name), tabindex: "-1" }, member.op.name) : h("span", { class: "muted" }, reason)) },
        { title: "Result", class: "type", cell: of(({ signature }) => signature?.results.join(", ") ?? "") },
        { title: "Arguments", class: "types", cell: of(({ signature }) => signature?.args.map(({ type }) => type).join(", ") ?? "") },
        { title: "Features", class: "ext", cell: of(({ extensions }) => extensions.join(" ")) },
        { title: "Trust", class: "trust", cell: of(({ member, status, errata }) => [
          member ? hydride.trustTag(member.trust) : h("span", { class: `tag status-${status}` }, status),
          errata.length > 0 && h("span", { class: "tag erratum", title: "its document is corrected here" }, "erratum"),
        ]) },
      ],
    },
    ledger: {
      label: "Ledger: entries that are not modelled",
      only: (entry) => hydride.model.data.status[entry] !== 0,
      chips: ["isa", "status"],
      columns: [
        name,
        isa,
        { title: "Status", class: "trust", cell: of(({ status }) => h("span", { class: `tag status-${status}` }, status)) },
        { title: "Reason", class: "reason", cell: of(({ reason }) => reason) },
        { title: "Because of", class: "message", cell: of(({ message }) => message.replaceAll("`", "")) },
        { title: "Place", class: "place", cell: of(({ place }) => place) },
      ],
    },
  };

  /// Reasons by instruction set, each cell a search.
  const matrix = () => {
    const { model } = hydride;
    const known = model.data.dictionaries.why;
    const counts = new Map();
    for (let entry = 0; entry < model.count; entry++) {
      const why = known[model.data.why[entry]];
      if (!why) continue;
      const key = `${model.statuses[model.data.status[entry]]} ${why[0]}`;
      if (!counts.has(key)) counts.set(key, model.isas.map(() => 0));
      counts.get(key)[model.isa[entry]]++;
    }
    const total = (row) => row.reduce((sum, value) => sum + value, 0);
    const rows = [...counts].sort(([, a], [, b]) => total(b) - total(a));
    const cell = (value, query) => h("td", { class: "n" }, value ? h("a", { href: hydride.link.list("ledger", query) }, number(value)) : h("span", { class: "muted" }, "–"));
    return h("details", { class: "matrix", open: innerHeight > 800 },
      h("summary", null, "Reasons by instruction set"),
      h("div", { class: "scroll" }, h("table", { class: "figures" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Reason"), h("th", { scope: "col" }, "Meaning"),
          model.isas.map((isa) => h("th", { scope: "col" }, isa.name)), h("th", { scope: "col" }, "All"))),
        h("tbody", null, rows.map(([key, row]) => {
          const [status, reason] = key.split(" ");
          const word = `reason=${reason}`;
          return h("tr", null, h("th", { scope: "row" }, reason), h("td", null, hydride.reasons[reason] ?? `could not be read (${status})`),
            row.map((value, position) => cell(value, `isa:${model.isas[position].name} ${word}`)), cell(total(row), word));
        })))));
  };

  let current;

  /// Puts the variants of an instruction that differ in their masks into one line, that of the first one found.
  const fold = (found) => {
    const { group } = hydride.model.maskedVariants();
    const heads = new Map();
    folded = new Map();
    for (const entry of found) {
      const head = heads.get(group[entry]);
      if (head === undefined) {
        heads.set(group[entry], entry);
        folded.set(entry, []);
      } else {
        folded.get(head).push(entry);
      }
    }
    return [...folded.keys()];
  };

  const foldButton = (isFolded) => h("button", {
    type: "button",
    "aria-pressed": String(isFolded),
    title: "One line for the instructions that differ in their masks only",
    onclick: () => hydride.setFields({ masked: isFolded ? "listed" : "" }),
  }, "masked variants folded");

  /// Operations whose own name has the words.
  const operations = (terms, query) => {
    const words = terms.filter((term) => term.field === "name" && !term.negated).map((term) => term.text).join(" ");
    if (!words) return [];
    const { found } = hydride.query.operations(words, hydride.model);
    if (!found.length) return [];
    return [
      h("span", { class: "muted" }, "Operations"),
      ...found.slice(0, MAX_OPERATIONS).map((op) => h("a", { href: hydride.link.op(op.name) }, op.name, h("span", { class: "count" }, op.members.length))),
      ...(found.length > MAX_OPERATIONS ? [h("a", { href: hydride.link.list("ops", query) }, `${number(found.length - MAX_OPERATIONS)} more`)] : []),
    ];
  };

  /// Makes the page, or brings the one that is there up to date. `masked` is "listed" to have masked variants apart.
  return (page, query, { masked }, into) => {
    const { model } = hydride;
    const { label, only, columns, chips: fields } = pages[page];
    if (current?.page !== page || !current.root.isConnected) {
      const list = hydride.list({ label, columns, href: (entry) => hydride.link.instruction(model.isas[model.isa[entry]].name, model.ids[entry]) });
      list.element.classList.add(page);
      const bar = h("div", { class: "bar" });
      const ops = h("div", { class: "ops" });
      const root = h("div", { class: "listpage" }, h("h1", { class: "hidden" }, label), page === "ledger" ? matrix() : "", bar, ops, list.element);
      into.replaceChildren(root);
      current = { page, root, list, bar, ops };
    }
    const { found, terms, errors } = hydride.query.entries(query, model, only);
    const all = only ? [...model.data.status].filter((status) => status !== 0).length : model.count;
    const isFolded = masked !== "listed";
    folded = new Map();
    const rows = isFolded ? fold(found) : found;
    const count = found.length === all ? `${number(all)} entries` : `${number(found.length)} of ${number(all)} entries`;
    const canFold = !isFolded || rows.length < found.length;
    current.bar.replaceChildren(
      h("p", { class: "total", role: "status" }, count),
      ...(canFold ? [h("div", { class: "chips" }, foldButton(isFolded))] : []),
      ...fields.map((field) => hydride.chips(field, query, found, model.fields[field].at)),
    );
    const hints = found.length ? [] : hydride.hints(page, query, (text) => hydride.query.entries(text, model, only).found.length);
    current.ops.replaceChildren(...hints, ...(page === "search" ? operations(terms, query) : []));
    current.list.show(rows);
    return { errors, focusList: current.list.focus, scrollTo: current.list.scrollTo };
  };
})();

/// What the ledger's reasons mean.
hydride.reasons = {
  "floating-point": "computes with floating-point numbers",
  memory: "has a pointer among its operands, or reads or writes memory",
  "no-pseudocode": "its document gives no text for it",
  control: "returns nothing",
  state: "uses tile registers, flags, counters or modes",
  histogram: "is one of the histograms",
  random: "gives random numbers",
  syntax: "its text could not be read",
  "unknown-call": "its text calls what is defined nowhere",
  undefined: "a name is read before it is written, or the result never written",
  incomplete: "its text leaves lines out",
  limit: "is beyond a limit",
  type: "its types contradict each other",
  malformed: "the entry itself could not be read",
};
