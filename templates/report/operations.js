// The page that lists operations.
"use strict";

hydride.operationsPage = (() => {
  const { h, number } = hydride;
  const BY_MEMBERS = { key: "members", down: true };
  // What was chosen; else operations are in the order of how well they fit, or by members.
  let chosen;
  let sort = BY_MEMBERS;
  let current;

  const rank = (op, key) => {
    if (key === "name") return op.name;
    if (key === "params") return op.params.length;
    if (key === "members") return op.members.length;
    return op.counts[Number(key)];
  };

  const sorted = (ops) => {
    if (!sort) return ops;
    const sign = sort.down ? -1 : 1;
    return [...ops].sort((a, b) => {
      const [left, right] = [rank(a, sort.key), rank(b, sort.key)];
      return left < right ? -sign : left > right ? sign : a.name < b.name ? -1 : 1;
    });
  };

  /// `sets`: exactly these instruction sets; `size`: the least and the greatest number of members.
  const within = ({ sets, size }) => {
    const { isas } = hydride.model;
    const wanted = sets?.split(",");
    const [low, high] = (size ?? "").split("-").map(Number);
    return (op) =>
      (!wanted || isas.every((isa, position) => wanted.includes(isa.name) === op.counts[position] > 0)) &&
      (!size || (op.members.length >= low && op.members.length <= (high || low)));
  };

  const columns = (redraw) => {
    const { isas } = hydride.model;
    const order = (key) => (sort?.key === key ? (sort.down ? "descending" : "ascending") : undefined);
    const header = (key, text, title) => h("button", {
      type: "button",
      title,
      "data-key": key,
      "aria-label": `${text}: sort`,
      class: sort?.key === key ? (sort.down ? "down" : "up") : undefined,
      onclick: () => {
        chosen = sort = sort?.key === key ? { key, down: !sort.down } : { key, down: key !== "name" };
        redraw();
        current.slot.querySelector(`[data-key="${key}"]`).focus();
      },
    }, text);
    return [
      { title: header("name", "Operation"), sort: order("name"), class: "opname", cell: (op) => op.name },
      ...isas.map((isa, position) => ({
        title: header(String(position), isa.name, `members of ${isa.name}`),
        sort: order(String(position)),
        class: `n count${position}`,
        cell: (op) => (op.counts[position] ? h("span", { class: `isa${position}-text` }, number(op.counts[position])) : ""),
      })),
      { title: header("members", "All", "members"), sort: order("members"), class: "n", cell: (op) => number(op.members.length) },
      { title: header("params", "Params", "parameters"), sort: order("params"), class: "n params", cell: (op) => op.params.length || "" },
      { title: "Formula", class: "formula", cell: (op) => [op.is_example ? h("span", { class: "eg" }, "e.g. ") : "", hydride.math(op.formula)] },
    ];
  };

  return (query, fields, into) => {
    const { model } = hydride;
    const draw = () => {
      const list = hydride.list({ label: "Operations", columns: columns(draw), href: (op) => hydride.link.op(op.name) });
      list.element.classList.add("operations");
      current.slot.replaceChildren(list.element);
      current.list = list;
      list.show(sorted(current.found));
    };
    if (!current?.root.isConnected) {
      const bar = h("div", { class: "bar" });
      const hints = h("div", { class: "ops" });
      const slot = h("div", { class: "slot" });
      const root = h("div", { class: "listpage" }, h("h1", { class: "hidden" }, "Operations"), bar, hints, slot);
      into.replaceChildren(root);
      current = { root, bar, hints, slot };
    }
    const { found, errors, ranked } = hydride.query.operations(query, model);
    sort = chosen ?? (ranked ? undefined : BY_MEMBERS);
    current.found = found.filter(within(fields));
    const restriction = [fields.sets && `members in exactly ${fields.sets.replaceAll(",", " and ")}`, fields.size && `${fields.size.replace(/^(\d+)-\1$/, "$1").replace("-", " to ")} members`].filter(Boolean);
    current.bar.replaceChildren(
      h("p", { class: "total", role: "status" }, current.found.length === model.ops.length
        ? hydride.plural(model.ops.length, "operation")
        : `${number(current.found.length)} of ${hydride.plural(model.ops.length, "operation")}`),
      ...restriction.map((text) => h("a", { class: "restriction", href: hydride.link.list("ops", query), title: "Show all" }, text, " ×")),
      hydride.chips("cat", query, current.found, model.categoryOf),
    );
    const restricted = (text) => hydride.query.operations(text, model).found.filter(within(fields)).length;
    current.hints.replaceChildren(...(current.found.length ? [] : hydride.hints("ops", query, restricted)));
    draw();
    return { errors, focusList: () => current.list.focus(), scrollTo: (top) => current.list.scrollTo(top) };
  };
})();
