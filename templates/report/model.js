// The data of data.js, with the look-ups that pages need.
"use strict";

/// Called by data.js.
hydride.load = (data) => {
  const { dictionaries: known, modelled } = data;
  const count = data.ids.length;
  const model = { data, count, ops: data.ops, isas: data.isas, ids: data.ids };

  // Columns over all entries: the instruction set, and the row among the modelled ones or -1.
  model.isa = new Uint8Array(count);
  model.row = new Int32Array(count).fill(-1);
  let entry = 0;
  let row = 0;
  data.isas.forEach((isa, position) => {
    for (const end = entry + isa.entries; entry < end; entry++) {
      model.isa[entry] = position;
      if (data.status[entry] === 0) model.row[entry] = row++;
    }
  });
  model.statuses = ["modelled", "excluded", "failed"];

  // The members of each operation and of each instance, as entries.
  for (const op of model.ops) op.members = [];
  for (let entry = 0; entry < count; entry++) {
    if (model.row[entry] >= 0) model.ops[modelled.op[model.row[entry]]].members.push(entry);
  }
  for (const op of model.ops) {
    op.counts = data.isas.map(() => 0);
    for (const entry of op.members) op.counts[model.isa[entry]]++;
  }
  model.opNamed = new Map(model.ops.map((op) => [op.name, op]));
  for (const op of model.ops) for (const alias of op.aliases) if (!model.opNamed.has(alias)) model.opNamed.set(alias, op);

  // The names to search, in lower case: the id, and the name that C programs write where it is another one.
  model.names = data.ids.map((id) => [id.toLowerCase()]);
  for (const [entry, name] of Object.entries(data.intrinsics)) model.names[entry].push(name.toLowerCase());

  // What a bare word is compared with besides names.
  model.mnemonics = known.mnemonics;
  model.shapes = known.shape;
  model.synonyms = data.synonyms;
  const through = (column) => (entry) => (model.row[entry] < 0 ? -1 : column[model.row[entry]]);
  model.opOf = through(modelled.op);
  model.mnemonicsOf = (entry) => data.mnemonics[entry];
  model.resultsOf = (entry) => model.ops[model.opOf(entry)].instances[modelled.instance[model.row[entry]]][1];
  model.categories = [...new Set(model.ops.map((op) => op.category).filter(Boolean))].sort();
  const categories = new Map(model.categories.map((name, position) => [name, position]));
  model.categoryOf = (op) => categories.get(op?.category) ?? -1;
  model.maskingOf = (entry) => (model.row[entry] < 0 ? "none" : known.masking[modelled.masking[model.row[entry]]][0]);
  model.isMasked = (entry) => model.maskingOf(entry) !== "none";

  // The pages of ports that have a row for an entry.
  const ports = new Map();
  for (const { to, page, entries } of data.ports ?? []) {
    for (const entry of entries) ports.set(entry, [...(ports.get(entry) ?? []), { to, page }]);
  }
  model.portsOf = (entry) => ports.get(entry) ?? [];

  /// The entry of that id, or -1.
  model.find = (isa, id) => {
    if (!model.entries) {
      model.entries = new Map();
      for (let entry = 0; entry < count; entry++) model.entries.set(`${data.isas[model.isa[entry]].name}/${data.ids[entry]}`, entry);
    }
    return model.entries.get(`${isa}/${id}`) ?? -1;
  };

  const signatures = known.signature.map(([results, args]) => ({
    results: results.map((type) => known.c_type[type]),
    args: args.map(([type, name, range]) => ({ type: known.c_type[type], name, range })),
  }));

  // Masked variants: those of the same instance whose ids are the same but for one word that only they have ("mask"),
  // or that differ in that word and in the kind of masking. `group` is by entry the first one of its variants;
  // `variant` the word by which an entry differs, for those that have a mask.
  model.maskedVariants = () => {
    if (model.variants) return model.variants;
    const group = Int32Array.from(data.ids, (_, entry) => entry);
    const variant = new Map();
    const plain = new Map();
    const first = new Map();
    const instance = (entry) => `${model.isa[entry]} ${model.opOf(entry)} ${modelled.instance[model.row[entry]]}`;
    for (let entry = 0; entry < count; entry++) {
      if (model.row[entry] >= 0 && !model.isMasked(entry)) plain.set(`${instance(entry)} ${data.ids[entry]}`, entry);
    }
    for (let entry = 0; entry < count; entry++) {
      if (!model.isMasked(entry)) continue;
      const kind = model.maskingOf(entry);
      const words = data.ids[entry].split("_");
      for (const [place, word] of words.entries()) {
        const rest = `${instance(entry)} ${words.filter((_, other) => other !== place).join("_")}`;
        const known = plain.get(rest) ?? first.get(`${rest} ${place} ${kind === "zero" ? "merge" : "zero"}`);
        if (known === undefined) {
          first.set(`${rest} ${place} ${kind}`, entry);
          continue;
        }
        group[entry] = known;
        variant.set(entry, word);
        if (model.isMasked(known)) variant.set(known, data.ids[known].split("_")[place]);
        break;
      }
    }
    model.variants = { group, variant };
    return model.variants;
  };

  /// What is known of an entry; `member` is there for modelled ones.
  model.entry = (entry) => {
    const why = known.why[data.why[entry]];
    const found = {
      entry,
      id: data.ids[entry],
      isa: data.isas[model.isa[entry]].name,
      isaPosition: model.isa[entry],
      status: model.statuses[data.status[entry]],
      reason: why?.[0] ?? "",
      message: why?.[1] ?? "",
      place: `${known.file[data.file[entry]]}:${data.line[entry]}`,
      errata: (data.touched[entry] ?? []).map((position) => data.errata[position]),
      intrinsic: data.intrinsics[entry] ?? data.ids[entry],
      // Undefined where the document does not declare it.
      signature: signatures[data.signature[entry]],
      extensions: known.extensions[data.extensions[entry]] ?? [],
      mnemonics: known.mnemonics[data.mnemonics[entry]] ?? [],
    };
    const row = model.row[entry];
    if (row < 0) return found;
    const [masking, mask, pass, layout, negated, part] = known.masking[modelled.masking[row]];
    const op = model.ops[modelled.op[row]];
    found.member = {
      op,
      instance: modelled.instance[row],
      params: op.instances[modelled.instance[row]][0],
      signature: found.signature,
      args: known.args[modelled.args[row]],
      masking,
      mask,
      pass,
      layout,
      negated,
      part,
      proof: known.proof[modelled.proof[row]],
      trust: known.trust[modelled.trust[row]],
      runs: known.runs[modelled.runs[row]],
      costs: known.costs[modelled.costs[row]],
    };
    return found;
  };

  /// The shapes of an instance: results, then arguments.
  model.shape = (op, instance) => {
    const [, results, args] = op.instances[instance];
    const names = (positions) => positions.map((position) => known.shape[position]).join(", ");
    return `${names(results)} ← ${names(args)}`;
  };

  /// The text of an argument source: `#2` is the member's argument 2.
  model.source = (source, signature) => source.replace(/#(\d+)/g, (_, position) => signature.args[position]?.name ?? `#${position}`);

  // Fields of the search: a dictionary of texts and the position in it for each entry. Positions are read through
  // functions, so that no column is copied.
  model.fields = {
    isa: { texts: data.isas.map((isa) => [isa.name]), at: (entry) => model.isa[entry], about: "instruction set" },
    cat: { texts: model.categories.map((name) => [name]), at: (entry) => model.categoryOf(model.ops[model.opOf(entry)]), about: "category of the operation" },
    op: { texts: model.ops.map((op) => [op.name, ...op.aliases]), at: through(modelled.op), about: "operation" },
    ret: { texts: signatures.map((signature) => signature.results), at: (entry) => data.signature[entry], about: "C type of the result" },
    arg: {
      texts: signatures.map((signature) => signature.args.flatMap(({ type, range }) => (range ? [type, "imm"] : [type]))),
      at: (entry) => data.signature[entry],
      about: "C type of an argument, or imm",
    },
    ext: { texts: known.extensions, at: (entry) => data.extensions[entry], about: "CPU feature" },
    asm: { texts: known.mnemonics, at: model.mnemonicsOf, about: "machine instruction" },
    trust: { texts: known.trust.map((word) => [word]), at: through(modelled.trust), about: "run, proved or parsed" },
    status: { texts: model.statuses.map((word) => [word]), at: (entry) => data.status[entry], about: "modelled, excluded or failed" },
    reason: { texts: known.why.map(([reason]) => [reason]), at: (entry) => data.why[entry], about: "why it is not modelled" },
    mask: { texts: known.masking.map(([kind, , , , , part]) => (part ? [kind, "part"] : [kind])), at: through(modelled.masking), about: "none, merge or zero; part" },
    proof: { texts: known.proof.map((word) => [word]), at: through(modelled.proof), about: "structural or smt" },
    erratum: { texts: data.errata.map((texts) => texts), many: (entry) => data.touched[entry], about: "note of a correction" },
  };
  hydride.model = model;
  hydride.start();
};

/// Loads the details of an operation; a promise.
hydride.details = new Map();
hydride.detail = (op) => {
  const { details } = hydride;
  if (!details.has(op.name)) {
    const waiting = {};
    waiting.promise = new Promise((resolve, reject) => Object.assign(waiting, { resolve, reject }));
    details.set(op.name, waiting);
    const script = hydride.h("script", { src: `ops/${encodeURIComponent(op.name)}.js`, onerror: () => {
      details.delete(op.name);
      waiting.reject(new Error(`ops/${op.name}.js cannot be loaded`));
    } });
    document.head.append(script);
  }
  return details.get(op.name).promise;
};

/// Called by the files of ops/.
hydride.loadDetail = (detail) => hydride.details.get(detail.name)?.resolve(detail);
