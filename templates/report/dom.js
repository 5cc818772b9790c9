// Elements from plain calls, and the texts that several pages share.
"use strict";

const hydride = {};

/// An element with attributes (handlers are `on…` functions) and children; strings become text nodes.
hydride.h = (tag, attributes, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
};

hydride.number = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

hydride.plural = (count, one, many = `${one}s`) => `${hydride.number(count)} ${count === 1 ? one : many}`;

/// Links between pages. Names come from documents, so that they are encoded.
hydride.link = {
  op: (name) => `#/op/${encodeURIComponent(name)}`,
  instruction: (isa, id) => `#/i/${encodeURIComponent(isa)}/${encodeURIComponent(id)}`,
  list: (page, query, more = {}) => {
    const fields = Object.entries({ q: query, ...more }).filter(([, value]) => value);
    const text = fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
    return `#/${page}${text && "?"}${text}`;
  },
};

/// A formula with `_{…}` as subscripts; names of functions are upright, other names in italics.
hydride.math = (text) => {
  const { h } = hydride;
  const pieces = [];
  const plain = (part, after) => {
    for (const match of part.matchAll(/([\p{L}_][\p{L}\p{N}_.]*)|(0x[0-9a-f]+|\d+)|([^\p{L}_\d]+)/gu)) {
      const [all, name] = match;
      const end = match.index + all.length === part.length;
      const call = name && (part[match.index + all.length] === "(" || (end && after && /^(sat|trunc|[sz]?ext|[sz]?cast|min|max)$/.test(name)));
      pieces.push(name ? h(call ? "b" : "var", null, name) : all);
    }
  };
  let rest = text;
  for (;;) {
    const start = rest.indexOf("_{");
    const end = rest.indexOf("}", start);
    if (start < 0 || end < 0) break;
    plain(rest.slice(0, start), true);
    pieces.push(h("sub", null, rest.slice(start + 2, end)));
    rest = rest.slice(end + 1);
  }
  plain(rest, false);
  return pieces;
};

/// IR text with its names, numbers and words told apart.
hydride.code = (text, length) => {
  const { h } = hydride;
  const pieces = [];
  const pattern = /(#.*)|("(?:[^"\\]|\\.)*"|[%@][\w.$@]+)|\b(func|for|in|let|imm|mem|align|at)\b|\b(0x[0-9a-f]+|\d+)\b|([a-z_]+)(?=[.(])/g;
  let from = 0;
  // Long texts are shown plain: thousands of elements are slow and no easier to read.
  if (text.length < 8000) {
    for (const match of text.matchAll(pattern)) {
      pieces.push(text.slice(from, match.index));
      const kind = ["c", "n", "k", "d", "f"][match.slice(1).findIndex((group) => group !== undefined)];
      pieces.push(h("span", { class: `t-${kind}` }, match[0]));
      from = match.index + match[0].length;
    }
  }
  pieces.push(text.slice(from));
  if (length > text.length) pieces.push(`… ${hydride.number(length - text.length)} more bytes`);
  const pre = h("pre", { tabindex: "0", class: "ir" }, h("code", null, pieces));
  const copy = h("button", { type: "button", class: "copy", onclick: async () => {
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(pre);
      copy.textContent = "Selected";
    }
  } }, "Copy");
  return h("div", { class: "code" }, pre, copy);
};
