// The pages that list entries: all instructions, and the ledger of those that are not modelled.
"use strict";

hydride.isaTag = (position, name) => hydride.h("span", { class: `tag isa${position}` }, name);

hydride.trustTag = (trust) => hydride.h("span", { class: `tag trust-${trust}` }, trust);

hydride.entriesPage = (() => {
  const { h, number } = hydride;
  const MAX_OPERATIONS = 10;

  const name = { title: "Name", class: "name", cell: (entry) => hydride.model.ids[entry] };
  const isa = {
    title: "Set",
    class: "isa",
    cell: (entry) => hydride.isaTag(hydride.model.isa[entry], hydride.model.isas[hydride.model.isa[entry]].name),
  };
  const of = (text) => (entry) => text(hydride.model.entry(entry));
  const member = (text) => of(({ member }) => (member ? text(member) : ""));
  const pages = {
    search: {
      label: "Instructions",
      only: undefined,
      chips: ["isa", "status", "trust"],
      columns: [
        name,
        isa,
        { title: "Operation", class: "op", cell: of(({ member, reason }) =>
          member ? h("a", { href: hydride.link.op(member.op.name), tabindex: "-1" }, member.op.name) : h("span", { class: "muted" }, reason)) },
        { title: "Result", class: "type", cell: member(({ signature }) => signature.results.join(", ")) },
        { title: "Arguments", class: "types", cell: member(({ signature }) => signature.args.map(({ type }) => type).join(", ")) },
        { title: "Features", class: "ext", cell: member(({ extensions }) => extensions.join(" ")) },
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

  /// Buttons that add and take away words of the query, with how many of the results have each.
  const chips = (field, query, found) => {
    const { model } = hydride;
    const { texts, at } = model.fields[field];
    const counts = texts.map(() => 0);
    for (const entry of found) {
      const position = at(entry);
      if (position >= 0) counts[position]++;
    }
    const words = query.split(/\s+/);
    return h("div", { class: "chips", role: "group", "aria-label": model.fields[field].about }, texts.map(([text], position) => {
      const on = words.includes(`${field}:${text}`);
      if (!on && counts[position] === 0) return null;
      return h("button", {
        type: "button",
        "aria-pressed": String(on),
        onclick: () => hydride.setQuery(hydride.query.toggled(query, field, text, model.fields)),
      }, text, h("span", { class: "count" }, number(counts[position])));
    }));
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

  /// Makes the page, or brings the one that is there up to date.
  return (page, query, into) => {
    const { model } = hydride;
    const { label, only, columns, chips: fields } = pages[page];
    if (current?.page !== page || !current.root.isConnected) {
      const list = hydride.list({ label, columns, href: (entry) => hydride.link.instruction(model.isas[model.isa[entry]].name, model.ids[entry]) });
      list.element.classList.add(page);
      const bar = h("div", { class: "bar" });
      const ops = h("div", { class: "ops" });
      const root = h("div", { class: "listpage" }, h("h1", { class: "hidden" }, label), page === "ledger" && matrix(), bar, ops, list.element);
      into.replaceChildren(root);
      current = { page, root, list, bar, ops };
    }
    const { found, terms, errors } = hydride.query.entries(query, model, only);
    const all = only ? [...model.data.status].filter((status) => status !== 0).length : model.count;
    current.bar.replaceChildren(
      h("p", { class: "total", role: "status" }, found.length === all ? `${number(all)} entries` : `${number(found.length)} of ${number(all)} entries`),
      ...fields.map((field) => chips(field, query, found)),
    );
    // Operations whose own name has the words.
    const words = terms.filter((term) => term.field === "name" && !term.negated);
    const ops = page === "search" && words.length ? model.ops.filter((op) => words.every((term) => term.test(op.name))) : [];
    ops.sort((a, b) => b.members.length - a.members.length);
    current.ops.replaceChildren(...(ops.length ? [
      h("span", { class: "muted" }, "Operations"),
      ...ops.slice(0, MAX_OPERATIONS).map((op) => h("a", { href: hydride.link.op(op.name) }, op.name, h("span", { class: "count" }, op.members.length))),
      ops.length > MAX_OPERATIONS && h("a", { href: hydride.link.list("ops", query) }, `${ops.length - MAX_OPERATIONS} more`),
    ].filter(Boolean) : []));
    current.list.show(found);
    return { errors, focusList: current.list.focus };
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
