// How well a bare word of a search fits an entry or an operation.
//
// The words of names, machine instructions and operations come first, then terms of the field (synonyms), then what
// the operations' sentences and categories say, and the type of the result's elements. Everything is compared in lower
// case.
"use strict";

hydride.words = (() => {
  /// Ranks, best first. A name can be the word, have it as a word, begin with it, have a word that begins with it, or
  /// have it anywhere. Of an entry, the first three are those of its own names; those of its operation follow, and
  /// then what synonyms lead to.
  const WHOLE = 0;
  const WORD = 1;
  const PREFIX = 2;
  const OPERATION = 3;
  const TERM = 4;
  const PART = 5;
  const SENTENCE = 6;
  const NONE = 7;

  /// How many words' ranks are kept.
  const KEPT_WORDS = 16;

  /// The sum of the ranks of several words where one of them does not fit.
  const NOT_FOUND = 255;

  /// Whether a letter or digit is there; names are ASCII.
  const isWordCharacter = (text, at) => {
    const code = text.charCodeAt(at);
    return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
  };

  /// The rank of a word in a name.
  const fit = (name, word) => {
    let at = name.indexOf(word);
    if (at < 0) return NONE;
    if (name.length === word.length) return WHOLE;
    let rank = at === 0 ? PREFIX : PART;
    for (; at >= 0; at = name.indexOf(word, at + 1)) {
      if (isWordCharacter(name, at - 1)) continue;
      if (!isWordCharacter(name, at + word.length)) return WORD;
      rank = Math.min(rank, TERM);
    }
    return rank;
  };

  const best = (names, word) => names.reduce((rank, name) => Math.min(rank, fit(name, word)), NONE);

  const spaced = (name) => name.toLowerCase().replaceAll("_", " ");

  /// The texts of a model that are searched.
  const index = (model) => {
    model.texts ??= {
      mnemonics: model.mnemonics.map((list) => list.map((mnemonic) => mnemonic.toLowerCase())),
      ops: model.ops.map((op) => ({
        names: [spaced(op.name)],
        words: op.name.toLowerCase().split("_"),
        sentence: [op.summary, op.category, ...[op.family, ...op.aliases].map(spaced)].filter(Boolean).join(" ").toLowerCase(),
      })),
      shapes: model.shapes.map((shape) => shape.replace(/.*×/, "")),
      synonyms: model.synonyms.map(([key, terms]) => ({ key: key.split("_"), terms })),
    };
    return model.texts;
  };

  /// Where a list of words has all words of another one in a row, or -1.
  const sequence = (words, part) => words.findIndex((_, at) => part.every((word, offset) => words[at + offset] === word));

  /// The operations that synonyms lead to: for a run of the words `from`, `to` the rank, and by position of the
  /// operation the words of its name that are meant.
  const meant = (words, model) => {
    const { ops, synonyms } = index(model);
    const found = [];
    for (const { key, terms } of synonyms) {
      const runs = [];
      for (const term of terms) {
        const parts = term.split(" ");
        for (let from = 0; from + parts.length <= words.length; from++) {
          if (parts.every((part, offset) => part === words[from + offset])) runs.push([from, from + parts.length]);
        }
        const quoted = words.indexOf(term);
        if (parts.length > 1 && quoted >= 0) runs.push([quoted, quoted + 1]);
      }
      if (!runs.length) continue;
      ops.forEach((op, position) => {
        const at = sequence(op.words, key);
        if (at >= 0) for (const [from, to] of runs) found.push({ from, to, position, at, length: key.length });
      });
    }
    return found;
  };

  /// What words find; each is a list of alternatives. `ops` and `entries` have the sum of the ranks of all words for
  /// each operation and entry, or NOT_FOUND; `rests` the number of words of an operation's name that were not asked for.
  const ranking = (wanted, model) => {
    const { ops, shapes, synonyms } = index(model);
    const plain = wanted.map((alternatives) => (alternatives.length === 1 ? alternatives[0] : ""));
    const byOp = wanted.map((alternatives) => Uint8Array.from(ops, ({ names, sentence }) => {
      let rank = NONE;
      for (const word of alternatives) {
        const text = word.replaceAll("_", " ");
        rank = Math.min(rank, best(names, text));
        if (rank > SENTENCE && fit(sentence, word) <= TERM) rank = SENTENCE;
      }
      return rank;
    }));
    const asked = ops.map(({ words }) => words.map((own) => wanted.some((alternatives) => alternatives.some((word) => own.startsWith(word)))));
    for (const { from, to, position, at, length } of meant(plain, model)) {
      for (let word = from; word < to; word++) byOp[word][position] = Math.min(byOp[word][position], TERM);
      asked[position].fill(true, at, at + length);
    }
    const byShape = wanted.map((alternatives) => {
      const types = new Set([...alternatives, ...synonyms.filter(({ terms }) => terms.some((term) => alternatives.includes(term))).map(({ key }) => key[0])]);
      return shapes.map((type) => types.has(type));
    });
    const rests = Uint8Array.from(asked, (words) => words.filter((known) => !known).length);
    // Several words that together spell out the whole name of an operation.
    if (wanted.length > 1) {
      rests.forEach((rest, position) => {
        if (rest === 0 && byOp.every((ranks) => ranks[position] <= TERM)) for (const ranks of byOp) ranks[position] = WHOLE;
      });
    }
    return {
      rests,
      ops: sums(byOp, ops.length),
      entries: sums(wanted.map((alternatives, word) => entryRanks(alternatives, byOp[word], byShape[word], model)), model.count),
    };
  };

  /// The rank of each entry by its own names and machine instructions. Those of the last words are kept, since a
  /// search is typed one word after the other.
  const ownRanks = (word, model) => {
    const kept = (model.ownRanks ??= new Map());
    const known = kept.get(word);
    if (known) return known;
    const byMnemonic = Uint8Array.from(index(model).mnemonics, (list) => best(list, word));
    const ranks = new Uint8Array(model.count);
    for (let entry = 0; entry < model.count; entry++) {
      const names = model.names[entry];
      let rank = fit(names[0], word);
      if (names.length > 1) rank = Math.min(rank, best(names, word));
      const list = model.mnemonicsOf(entry);
      ranks[entry] = list >= 0 && byMnemonic[list] < rank ? byMnemonic[list] : rank;
    }
    if (kept.size >= KEPT_WORDS) kept.delete(kept.keys().next().value);
    kept.set(word, ranks);
    return ranks;
  };

  /// The rank of each entry by its names, its operation, and the shapes of its results.
  const entryRanks = (alternatives, byOp, byShape, model) => {
    const ranks = Uint8Array.from(ownRanks(alternatives[0], model));
    for (const word of alternatives.slice(1)) ownRanks(word, model).forEach((rank, entry) => (ranks[entry] = Math.min(ranks[entry], rank)));
    const byOpOfEntry = byOp.map((rank) => rank && Math.max(OPERATION, rank));
    const hasShape = byShape.includes(true);
    for (let entry = 0; entry < model.count; entry++) {
      const op = model.opOf(entry);
      if (op < 0) continue;
      if (byOpOfEntry[op] < ranks[entry]) ranks[entry] = byOpOfEntry[op];
      if (hasShape && ranks[entry] > TERM && model.resultsOf(entry).some((shape) => byShape[shape])) ranks[entry] = TERM;
    }
    return ranks;
  };

  /// The sums of the ranks of all words; NOT_FOUND where one does not fit.
  const sums = (columns, length) => {
    const found = new Uint8Array(length);
    for (const ranks of columns) {
      for (let at = 0; at < length; at++) {
        const missing = ranks[at] === NONE || found[at] === NOT_FOUND;
        found[at] = missing ? NOT_FOUND : Math.min(NOT_FOUND - 1, found[at] + ranks[at]);
      }
    }
    return found;
  };

  /// Whether a name of the entry passes a test: its own, that of a machine instruction, or that of its operation.
  const named = (entry, model, test) => {
    const { mnemonics, ops } = index(model);
    const [op, list] = [model.opOf(entry), model.mnemonicsOf(entry)];
    return model.names[entry].some(test) || (list >= 0 && mnemonics[list].some(test)) || (op >= 0 && ops[op].names.some(test));
  };

  /// Everything that a word can be compared with as a whole.
  const vocabulary = (model) => {
    const { mnemonics, ops, synonyms } = index(model);
    model.vocabulary ??= new Set([
      ...ops.flatMap(({ words }) => words), ...synonyms.flatMap(({ terms }) => terms.flatMap((term) => term.split(" "))),
      ...mnemonics.flat(), ...model.names.flat(),
    ]);
    return model.vocabulary;
  };

  /// The number of insertions, removals, replacements and exchanges of neighbours from one text to the other, or more
  /// than `most`.
  const distance = (left, right, most) => {
    if (Math.abs(left.length - right.length) > most) return most + 1;
    let before;
    let last = Array.from({ length: right.length + 1 }, (_, column) => column);
    for (let row = 1; row <= left.length; row++) {
      const next = [row];
      for (let column = 1; column <= right.length; column++) {
        const same = left[row - 1] === right[column - 1];
        next[column] = Math.min(last[column] + 1, next[column - 1] + 1, last[column - 1] + (same ? 0 : 1));
        if (row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
          next[column] = Math.min(next[column], before[column - 2] + 1);
        }
      }
      if (Math.min(...next) > most) return most + 1;
      [before, last] = [last, next];
    }
    return last[right.length];
  };

  /// Known words that a word may have been meant to be, nearest first.
  const nearest = (word, model) => {
    const most = Math.min(3, Math.max(1, Math.floor(word.length / 3)));
    const found = [];
    for (const known of vocabulary(model)) {
      const steps = distance(word, known, most);
      if (steps <= most) found.push([steps, known]);
    }
    return found.sort((a, b) => a[0] - b[0]).slice(0, 3).map(([, known]) => known);
  };

  return { NOT_FOUND, ranking, named, nearest };
})();
