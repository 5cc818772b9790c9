// Pages by the hash of the address, the search box, keys and the theme.
"use strict";

hydride.start = () => {
  const { h } = hydride;
  const box = document.getElementById("query");
  const errors = document.getElementById("query-errors");
  const overview = document.getElementById("overview");
  const page = document.getElementById("page");
  const syntax = document.getElementById("syntax");
  const help = document.getElementById("help");
  const lists = ["search", "ops", "ledger"];
  let focusList;

  // How far each step of the history was scrolled, by the number that its state has.
  history.scrollRestoration = "manual";
  const STORED = "hydride-scroll";
  const tops = new Map();
  try {
    for (const [step, top] of JSON.parse(sessionStorage.getItem(STORED) ?? "[]")) tops.set(step, top);
  } catch { /* nothing is known */ }
  addEventListener("pagehide", () => {
    try {
      sessionStorage.setItem(STORED, JSON.stringify([...tops]));
    } catch { /* it is forgotten */ }
  });
  let step;
  const enterStep = () => {
    step = history.state?.step;
    if (step !== undefined) return;
    step = Math.max(0, ...tops.keys()) + 1;
    tops.set(step, 0);
    history.replaceState({ step }, "");
  };
  document.addEventListener("scroll", ({ target }) => {
    if (target === document) tops.set(step, document.scrollingElement.scrollTop);
    else if (target.matches(".scroller")) tops.set(step, target.scrollTop);
  }, { capture: true, passive: true });

  // A page whose details are still to come may be too short at first.
  let wantedTop = 0;
  const scrollPage = () => {
    if (!wantedTop) return;
    const { scrollingElement } = document;
    if (scrollingElement.scrollHeight - innerHeight < wantedTop) return;
    scrollingElement.scrollTop = wantedTop;
    wantedTop = 0;
  };
  new ResizeObserver(scrollPage).observe(page);
  for (const own of ["wheel", "keydown", "pointerdown"]) addEventListener(own, () => (wantedTop = 0), { passive: true });

  hydride.notFound = (into, text, words) => into.replaceChildren(h("article", null,
    h("h1", null, "Not found"), h("p", null, text), h("p", null, h("a", { href: hydride.link.list("search", words) }, "Search for it"))));

  /// The parts of the hash: a page, its names, and its fields.
  const route = () => {
    const [path, fields] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
    const decode = (part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    };
    const [name, ...rest] = path.split("/").map(decode);
    return { name: name || "overview", rest, fields: Object.fromEntries(new URLSearchParams(fields ?? "")) };
  };

  const show = () => {
    const { name, rest, fields } = route();
    enterStep();
    const top = tops.get(step) ?? 0;
    const query = fields.q ?? "";
    const isList = lists.includes(name);
    const shown = isList ? query : "";
    // Where it is what was typed the caret stays.
    if (box.value !== shown) box.value = shown;
    overview.hidden = name !== "overview";
    page.hidden = name === "overview";
    document.body.classList.toggle("fixed", isList);
    for (const link of document.querySelectorAll("nav a")) {
      const own = { op: "ops", i: "search" }[name] ?? name;
      if (link.dataset.page === own) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const titles = { search: "Instructions", ops: "Operations", ledger: "Ledger", overview: "Overview" };
    document.title = `${titles[name] ?? rest.at(-1) ?? "Not found"} – AutoLLVM report`;
    let told;
    focusList = undefined;
    if (name === "search" || name === "ledger") told = hydride.entriesPage(name, query, fields, page);
    else if (name === "ops") told = hydride.operationsPage(query, fields, page);
    else if (name === "op" && rest.length === 1) hydride.operationPage(rest[0], page);
    else if (name === "i" && rest.length === 2) hydride.instructionPage(rest[0], rest[1], page);
    else if (name !== "overview") hydride.notFound(page, "There is no such page.", "");
    focusList = told?.focusList;
    errors.textContent = told?.errors.join("; ") ?? "";
    told?.scrollTo(top);
    wantedTop = isList ? 0 : top;
    // A list is as high as the window; to ask for a layout at each key would take time.
    if (!isList) {
      document.scrollingElement.scrollTop = 0;
      scrollPage();
    }
  };

  /// Goes to a search without a new step in the history for each key.
  hydride.setQuery = (text, typed = false) => {
    const { name, fields } = route();
    if (!typed) box.value = text;
    if (lists.includes(name)) {
      replace(hydride.link.list(name, text, { ...fields, q: text }));
    } else {
      location.hash = hydride.link.list("search", text);
    }
  };

  /// Changes what the address of a list says besides the search.
  hydride.setFields = (changed) => {
    const { name, fields } = route();
    replace(hydride.link.list(name, fields.q, { ...fields, ...changed }));
  };

  const replace = (target) => {
    tops.set(step, 0);
    history.replaceState({ step }, "", target);
    show();
  };

  box.addEventListener("input", () => hydride.setQuery(box.value, true));
  box.addEventListener("keydown", (event) => {
    if ((event.key === "ArrowDown" || event.key === "Enter") && focusList) {
      event.preventDefault();
      focusList();
    }
  });
  addEventListener("hashchange", show);

  const { fields } = hydride.model;
  const example = (query, meaning) => h("tr", null, h("td", null, h("a", { href: hydride.link.list("search", query) }, h("code", null, query))), h("td", null, meaning));
  syntax.replaceChildren(
    h("div", { class: "columns" },
      h("div", null, h("h2", null, "Words"), h("table", null, h("tbody", null,
        example("vpaddusb", "a name, machine instruction or operation; case does not matter"),
        example("saturating add", "all words must fit; synonyms count"),
        example("add -isa:x86", "a minus negates"),
        example("isa:arm,hvx", "one of several"),
        example("ret=__m128i", "from end to end"),
        example("/^vq?add/", "a regular expression, also after a field"),
        example("erratum:", "any value"),
      ))),
      h("div", null, h("h2", null, "Fields"), h("table", null, h("tbody", null,
        Object.entries(fields).map(([name, { about }]) => h("tr", null, h("td", null, h("code", null, `${name}:`)), h("td", null, about)))))),
      h("div", null, h("h2", null, "Keys"), h("table", null, h("tbody", null,
        [["/", "search"], ["↓ ↑", "to and through the results"], ["Enter", "open"], ["Esc", "empty the search"], ["t", "light, dark, system"], ["?", "this help"]]
          .map(([key, meaning]) => h("tr", null, h("td", null, h("kbd", null, key)), h("td", null, meaning))))))));
  const toggleHelp = (open = syntax.hidden) => {
    syntax.hidden = !open;
    help.setAttribute("aria-expanded", String(open));
  };
  help.addEventListener("click", () => toggleHelp());

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest?.("input, select, textarea");
    if (event.key === "Escape") {
      if (!syntax.hidden) toggleHelp(false);
      else if (event.target === box && box.value) hydride.setQuery("");
      else if (event.target === box) box.blur();
      return;
    }
    if (typing) return;
    if (event.key === "/") {
      event.preventDefault();
      box.focus();
      box.select();
    } else if (event.key === "t") document.getElementById("theme").click();
    else if (event.key === "?") toggleHelp();
  });
  show();
  performance.mark("hydride-ready");
};

// The theme does not wait for the data.
{
  const button = document.getElementById("theme");
  const themes = ["", "light", "dark"];
  const names = { "": "Auto", light: "Light", dark: "Dark" };
  const root = document.documentElement;
  const label = () => {
    button.textContent = names[root.dataset.theme] ?? names[""];
    button.setAttribute("aria-label", `Theme: ${button.textContent}`);
  };
  button.addEventListener("click", () => {
    root.dataset.theme = themes[(themes.indexOf(root.dataset.theme ?? "") + 1) % themes.length];
    try {
      localStorage.setItem("hydride-theme", root.dataset.theme);
    } catch { /* it is forgotten */ }
    label();
  });
  label();
}
