// The search language: words that must all hold.
//
//   word        the name has it, ignoring case        -word     the name does not
//   field:text  the field has it                      field=text    is it, from end to end
//   field:a,b   one of them                           field:/re/    matches the regular expression
//   "two words" as one word                           field:        has any value
"use strict";

hydride.query = (() => {
  /// The words of a text: { negated, field, test, text }, and what is wrong with it.
  const parse = (text, fields) => {
    const terms = [];
    const errors = [];
    let at = 0;
    while (at < text.length) {
      if (/\s/.test(text[at])) {
        at++;
        continue;
      }
      const start = at;
      const negated = text[at] === "-" && at + 1 < text.length && !/\s/.test(text[at + 1]);
      if (negated) at++;
      const named = /^([a-z]+)([=:])/i.exec(text.slice(at));
      let field = "name";
      if (named) {
        field = named[1].toLowerCase();
        at += named[0].length;
      }
      const whole = named?.[2] === "=";
      let alternatives;
      if (text[at] === "/") {
        let end = at + 1;
        while (end < text.length && text[end] !== "/") end += text[end] === "\\" ? 2 : 1;
        alternatives = [{ regex: text.slice(at + 1, end) }];
        at = end + 1;
      } else if (text[at] === '"') {
        const end = text.indexOf('"', at + 1);
        alternatives = [{ text: text.slice(at + 1, end < 0 ? text.length : end), whole }];
        at = end < 0 ? text.length : end + 1;
      } else {
        const end = at + /^\S*/.exec(text.slice(at))[0].length;
        alternatives = text.slice(at, end).split(",").filter(Boolean).map((part) => ({ text: part, whole }));
        at = end;
      }
      if (field !== "name" && !(field in fields)) {
        errors.push(`there is no field “${field}:”`);
        continue;
      }
      const any = alternatives.length === 0;
      if (any && field === "name") continue;
      try {
        const tests = alternatives.map(test);
        terms.push({ negated, field, any, test: (value) => any || tests.some((one) => one(value)), words: alternatives, text: text.slice(start, at) });
      } catch {
        errors.push(`“${alternatives[0].regex}” is no regular expression`);
      }
    }
    return { terms, errors };
  };

  /// A function of a lower-case text.
  const test = ({ regex, whole, text }) => {
    if (regex !== undefined) {
      const pattern = new RegExp(regex, "i");
      return (value) => pattern.test(value);
    }
    const wanted = text.toLowerCase();
    return whole ? (value) => value === wanted : (value) => value.includes(wanted);
  };

  /// A function of an entry for terms. Each term is asked once for each text of its field's dictionary.
  const compile = (terms, fields, names) => {
    const predicates = terms.map((term) => {
      if (term.field === "name") return (entry) => names(entry).some(term.test) !== term.negated;
      const field = fields[term.field];
      field.lower ??= field.texts.map((texts) => texts.map((text) => text.toLowerCase()));
      const holds = field.lower.map((texts) => texts.some(term.test));
      if (field.many) return (entry) => (field.many(entry) ?? []).some((position) => holds[position]) !== term.negated;
      return (entry) => {
        const position = field.at(entry);
        return (position >= 0 && holds[position]) !== term.negated;
      };
    });
    return (entry) => predicates.every((predicate) => predicate(entry));
  };

  /// The entries that a text finds: those whose name is a word of it or begins with one come first, modelled ones
  /// before others.
  const entries = (text, model, only = () => true) => {
    const { terms, errors } = parse(text, model.fields);
    const keep = compile(terms, model.fields, (entry) => model.names[entry]);
    const words = terms.filter((term) => term.field === "name" && !term.negated).flatMap((term) => term.words.map((word) => (word.text ?? "").toLowerCase())).filter(Boolean);
    const tiers = [[], [], [], [], [], []];
    for (let entry = 0; entry < model.count; entry++) {
      if (!only(entry) || !keep(entry)) continue;
      let tier = 0;
      if (words.length) {
        const [id] = model.names[entry];
        tier = words.includes(id) ? 0 : words.some((word) => id.startsWith(word)) ? 2 : 4;
        if (model.row[entry] < 0) tier++;
      }
      tiers[tier].push(entry);
    }
    return { found: tiers.flat(), terms, errors };
  };

  /// The operations whose name has the bare words and that have a member with the rest.
  const operations = (text, model) => {
    const { terms, errors } = parse(text, model.fields);
    const named = terms.filter((term) => term.field === "name");
    const others = terms.filter((term) => term.field !== "name");
    const keep = compile(others, model.fields, () => []);
    const found = model.ops.filter(
      (op) => named.every((term) => [op.name, ...op.aliases].some(term.test) !== term.negated) && (!others.length || op.members.some(keep)),
    );
    return { found, terms, errors };
  };

  /// The text with `field:value` added or taken away.
  const toggled = (text, field, value, fields) => {
    const word = `${field}:${value}`;
    const words = parse(text, fields).terms.map((term) => term.text);
    const rest = words.filter((other) => !other.startsWith(`${field}:`));
    return (words.includes(word) ? rest : [...rest, word]).join(" ");
  };

  return { parse, entries, operations, toggled };
})();
