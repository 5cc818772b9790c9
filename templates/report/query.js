// The search language: words that must all hold.
//
//   word        fits a name, a machine instruction, the operation or a synonym (words.js), ignoring case
//   -word       no name of it has the word            /re/      its name matches the regular expression
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
  const compile = (terms, model) => {
    const { fields } = model;
    const predicates = terms.map((term) => {
      if (term.field === "name") return (entry) => hydride.words.named(entry, model, term.test) !== term.negated;
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

  /// Bare words, which rank what they find, and the other terms, which only hold or do not.
  const divided = (terms, model) => {
    const isWord = (term) => term.field === "name" && !term.negated && term.words.every(({ regex }) => regex === undefined);
    const words = terms.filter(isWord).map((term) => term.words.map(({ text }) => text.toLowerCase()));
    return { ranking: words.length ? hydride.words.ranking(words, model) : undefined, others: terms.filter((term) => !isWord(term)) };
  };

  /// The entries that a text finds: in the order of how well bare words fit; among equals modelled ones first, then
  /// those whose operation's name has the fewest other words, those without a mask, by instruction set, short names.
  const entries = (text, model, only = () => true) => {
    const { terms, errors } = parse(text, model.fields);
    const { ranking, others } = divided(terms, model);
    const keep = compile(others, model);
    // One number for each entry found: its order, then its position.
    const orders = new Float64Array(model.count);
    let length = 0;
    for (let entry = 0; entry < model.count; entry++) {
      const rank = ranking ? ranking.entries[entry] : 0;
      if (rank === hydride.words.NOT_FOUND || !only(entry) || !keep(entry)) continue;
      const order = ranking ? place(entry, rank, ranking, model) : 0;
      orders[length++] = order * model.count + entry;
    }
    const found = Array.from(orders.subarray(0, length).sort(), (order) => order % model.count);
    return { found, terms, errors };
  };

  /// A number by which entries are ordered.
  const place = (entry, rank, ranking, model) => {
    const op = model.opOf(entry);
    const rest = op < 0 ? 0 : ranking.rests[op];
    const length = Math.min(model.ids[entry].length, 127);
    return ((((rank * 2 + (op < 0)) * 32 + rest) * 2 + model.isMasked(entry)) * model.isas.length + model.isa[entry]) * 128 + length;
  };

  /// The operations that the bare words fit, best first, and that have a member with the rest.
  const operations = (text, model) => {
    const { terms, errors } = parse(text, model.fields);
    const { ranking, others } = divided(terms, model);
    const keep = compile(others, model);
    const orders = new Map();
    model.ops.forEach((op, position) => {
      const rank = ranking ? ranking.ops[position] : 0;
      if (rank === hydride.words.NOT_FOUND || (others.length && !op.members.some(keep))) return;
      orders.set(op, ranking ? rank * 32 + ranking.rests[position] : 0);
    });
    const found = [...orders.keys()].sort((a, b) => orders.get(a) - orders.get(b) || b.members.length - a.members.length);
    return { found, terms, errors, ranked: ranking !== undefined };
  };

  /// Other searches for one that finds nothing: with a known word in place of one that finds nothing by itself, else
  /// without one of the words. `count` gives the number of results of a text.
  const hints = (text, model, count) => {
    const { terms } = parse(text, model.fields);
    const rest = (left, word) => terms.flatMap((term) => (term === left ? word ?? [] : term.text)).join(" ");
    const near = terms.filter((term) => term.field === "name" && !term.negated && term.words.length === 1 && term.words[0].text && !count(term.text))
      .flatMap((term) => hydride.words.nearest(term.words[0].text.toLowerCase(), model).map((word) => ({ text: rest(term, quoted(word)), word })));
    const shorter = terms.length > 1 ? terms.map((term) => ({ text: rest(term), without: term.text })) : [];
    return [...near, ...shorter].map((hint) => ({ ...hint, count: count(hint.text) })).filter((hint) => hint.count > 0);
  };

  /// A word as it is written in a search.
  const quoted = (word) => (/[\s,]/.test(word) ? `"${word}"` : word);

  /// The text with `field:value` added or taken away.
  const toggled = (text, field, value, fields) => {
    const word = `${field}:${quoted(value)}`;
    const words = parse(text, fields).terms.map((term) => term.text);
    const rest = words.filter((other) => !other.startsWith(`${field}:`));
    return (words.includes(word) ? rest : [...rest, word]).join(" ");
  };

  return { parse, entries, operations, hints, quoted, toggled };
})();
