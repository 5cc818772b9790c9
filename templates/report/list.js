// A table of any length of which only the rows in sight are there.
"use strict";

/// `columns`: { title, class, cell(item), beside(item) after the row's link, and how the rows are sorted by it, in ARIA's
/// words }; `href(item)` is where a row leads. Rows are of one height.
hydride.list = ({ label, columns, href }) => {
  const { h } = hydride;
  const ROW = 30;
  const AROUND = 8;
  const head = h("div", { role: "row", class: "row head", "aria-rowindex": "1" },
    columns.map((column) => h("div", { role: "columnheader", class: column.class, "aria-sort": column.sort }, column.title)));
  const body = h("div", { class: "rows", role: "rowgroup" });
  const scroller = h("div", { class: "scroller", role: "table", "aria-label": label, tabindex: "-1" },
    h("div", { role: "rowgroup", class: "headgroup" }, head), body);
  let items = [];
  let focus = 0;
  let shown = new Map();

  const row = (index) => {
    const item = items[index];
    const link = href(item);
    const cells = columns.map((column, position) => {
      const contents = column.cell(item);
      const inner = position === 0 ? h("a", { href: link, tabindex: index === focus ? "0" : "-1" }, contents) : contents;
      return h("div", { role: "cell", class: column.class }, inner, column.beside?.(item));
    });
    const element = h("div", { role: "row", class: "row", "aria-rowindex": index + 2 }, cells);
    element.style.top = `${index * ROW}px`;
    element.dataset.index = index;
    return element;
  };

  const draw = () => {
    const first = Math.max(0, Math.floor(scroller.scrollTop / ROW) - AROUND);
    const last = Math.min(items.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / ROW) + AROUND);
    const next = new Map();
    const fresh = [];
    for (let index = first; index < last; index++) {
      const element = shown.get(index) ?? row(index);
      if (!shown.has(index)) fresh.push(element);
      next.set(index, element);
    }
    for (const [index, element] of shown) if (!next.has(index)) element.remove();
    body.append(...fresh);
    shown = next;
  };

  const move = (index) => {
    if (!items.length) return;
    const target = Math.max(0, Math.min(items.length - 1, index));
    shown.get(focus)?.querySelector("a")?.setAttribute("tabindex", "-1");
    focus = target;
    const top = target * ROW;
    const room = scroller.clientHeight - head.offsetHeight - ROW;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top > scroller.scrollTop + room) scroller.scrollTop = top - room;
    draw();
    const link = shown.get(target)?.querySelector("a");
    link?.setAttribute("tabindex", "0");
    link?.focus({ preventScroll: true });
  };

  scroller.addEventListener("scroll", draw, { passive: true });
  scroller.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(scroller.clientHeight / ROW) - 2);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (event.key === "ArrowUp" && focus === 0) document.getElementById("query").focus();
    else move(focus + steps[event.key]);
  });
  body.addEventListener("click", (event) => {
    const line = event.target.closest(".row");
    if (line && !event.target.closest("a") && !String(getSelection())) location.hash = href(items[line.dataset.index]);
  });
  new ResizeObserver(draw).observe(scroller);

  return {
    element: scroller,
    focus: () => move(focus),
    /// Where it was left. The keyboard goes on with the first row in sight.
    scrollTo: (top) => {
      if (!top) return;
      focus = Math.min(Math.ceil(top / ROW), items.length - 1);
      scroller.scrollTop = top;
      draw();
    },
    show: (next) => {
      items = next;
      focus = 0;
      shown = new Map();
      body.replaceChildren();
      body.style.height = `${items.length * ROW}px`;
      scroller.setAttribute("aria-rowcount", items.length + 1);
      scroller.scrollTop = 0;
      draw();
    },
  };
};
