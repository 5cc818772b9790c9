//! A module with the slices of its values, and with what was found in their place.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use optimize::{Attributes, Change, Cutter, Editor, Flow, Slice, edited};
use refine::{Module, Outline};

use super::intrinsics::Known;
use super::search::Found;
use super::settled::{Numbered, Settled};

/// Instructions of the smallest slices that are cut.
const FEW: usize = 6;
/// Slices with fewer instructions have nothing that can be cheaper.
const LEAST: usize = 2;

/// A slice with where it is.
pub struct Place {
    /// The function's position in the module.
    pub function: usize,
    /// The slice.
    pub slice: Slice,
    /// The attributes that say for which machine the function is.
    pub attributes: String,
    /// Equal for slices with the same answer.
    pub key: String,
}

impl Place {
    /// The function, the block and the line of its root.
    pub fn id(&self) -> (usize, usize, usize) {
        (self.function, self.slice.section, self.slice.line)
    }
}

/// What can stand for slices, by their keys.
pub type Rewrites = BTreeMap<String, Found>;

/// A module.
pub struct Source {
    /// Its file.
    pub path: PathBuf,
    /// What is in it; no bodies are read.
    pub module: Module,
    /// Its functions line by line; `None` for those that are left alone, or settled.
    pub outlines: Vec<Option<Outline>>,
    /// What an earlier run made of functions, whose slices are not cut then.
    pub settled: Vec<Option<Settled>>,
    /// What computes the values of the others, in order of the functions.
    pub slices: Vec<Place>,
    /// Values that were looked at, by function.
    pub values: Vec<usize>,
}

/// Spans of a text with what stands in their place, in order.
type Edits = Vec<(Range<usize>, String)>;

/// What becomes of a module.
pub struct Changed<'a> {
    /// Its text.
    pub text: String,
    /// The changed values of functions that are not settled.
    pub made: Vec<&'a Place>,
    /// The number of changed values of all functions.
    pub count: usize,
}

/// A module's definitions.
pub fn definitions(path: &Path) -> Result<Module> {
    let text = super::text(path)?;
    Module::definitions(&text).map_err(|fault| anyhow!("{}:{fault}", path.display()))
}

impl Source {
    /// Cuts the slices of a module's functions that are not settled.
    pub fn read(
        path: &Path,
        module: Module,
        settled: Vec<Option<Settled>>,
        known: &Known<'_>,
        limit: usize,
    ) -> Self {
        let (mut outlines, mut slices, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let attributes = Attributes::new(&module);
        let is_value = |name: &str| known.is_value(name);
        for (function, own) in module.functions.iter().enumerate() {
            if let Some(settled) = settled.get(function).and_then(Option::as_ref) {
                outlines.push(None);
                values.push(settled.values);
                continue;
            }
            let mut count = 0;
            let outline = match module.outline(own) {
                Ok(outline) => Some(outline),
                Err(fault) => {
                    tracing::warn!("{}:{fault}: @{} is left as it is", path.display(), own.name);
                    None
                }
            };
            if let Some(outline) = &outline
                && let Some(flow) = Flow::new(outline)
            {
                let attributes = attributes.of(outline.groups.iter().map(String::as_str));
                let cutter = Cutter::new(outline, &flow, &is_value);
                for slice in slices_of(outline, &cutter, limit, &mut count) {
                    let key = format!("{attributes}\n{}", slice.key());
                    slices.push(Place { function, slice, attributes: attributes.clone(), key });
                }
            }
            outlines.push(outline);
            values.push(count);
        }
        Self { path: path.to_owned(), outlines, settled, slices, values, module }
    }

    /// The slices of a function, by position.
    pub fn slices_of(&self, function: usize) -> &[Place] {
        let start = self.slices.partition_point(|place| place.function < function);
        let end = self.slices.partition_point(|place| place.function <= function);
        &self.slices[start..end]
    }

    /// What becomes of a function that is not settled with the changes that `keep` admits, and what was changed in it.
    pub fn edits<'a>(
        &'a self,
        function: usize,
        found: &Rewrites,
        keep: &dyn Fn(&Place) -> bool,
    ) -> (Edits, Vec<&'a Place>) {
        let Some(outline) = &self.outlines[function] else { return Default::default() };
        let mut editor = Editor::new(&self.module.functions[function], outline);
        let own = self.slices_of(function).iter().filter(|place| keep(place));
        let mut own: Vec<(&Place, &Found)> =
            own.filter_map(|place| Some((place, found.get(place.key.as_str())?))).collect();
        if own.is_empty() {
            return Default::default();
        }
        // From the end, so that what only served a changed value is gone; the greatest gain first.
        own.sort_by(|(a, x), (b, y)| {
            let place = |place: &Place| (place.slice.section, place.slice.line);
            place(b).cmp(&place(a)).then(y.gain().total_cmp(&x.gain()))
        });
        let (mut seen, mut made) = (BTreeSet::new(), Vec::new());
        for (place, found) in own {
            let change = Change { slice: &place.slice, body: &found.body };
            if seen.contains(&(place.slice.section, place.slice.line)) || !editor.change(change) {
                continue;
            }
            seen.insert((place.slice.section, place.slice.line));
            made.push(place);
        }
        (editor.edits(), made)
    }

    /// The text with the changes that `keep` admits.
    pub fn changed<'a>(&'a self, found: &Rewrites, keep: &dyn Fn(&Place) -> bool) -> Changed<'a> {
        let (mut edits, mut made, mut count) = (Vec::new(), Vec::new(), 0);
        for (at, function) in self.module.functions.iter().enumerate() {
            if let Some(settled) = self.settled.get(at).and_then(Option::as_ref) {
                if settled.changed > 0 {
                    let text = &self.module.text()[function.span.clone()];
                    edits.extend(Numbered::new(text).edits(function, &self.module, settled));
                    count += settled.changed;
                }
            } else {
                let (own, places) = self.edits(at, found, keep);
                edits.extend(own);
                count += places.len();
                made.extend(places);
            }
        }
        Changed { text: edited(&self.module, &edits), made, count }
    }

    /// The functions that have no outline.
    pub fn left_alone(&self) -> usize {
        let is_settled = |at: usize| self.settled.get(at).is_some_and(Option::is_some);
        self.outlines.iter().enumerate().filter(|(at, own)| own.is_none() && !is_settled(*at)).count()
    }

    /// Slices, equal ones counted.
    pub fn count(&self) -> usize {
        self.slices.len() + self.settled.iter().flatten().map(|own| own.slices).sum::<usize>()
    }

    /// The line of a slice's root in the file, from 1, and the place in the source that its `!dbg` names: `file:line:column`.
    pub fn position(&self, place: &Place) -> (usize, Option<String>) {
        let outline = self.outlines[place.function].as_ref();
        let Some(line) = outline.map(|own| &own.sections[place.slice.section].lines[place.slice.line]) else {
            return (0, None);
        };
        let number = self.module.text()[..line.span.start].matches('\n').count() + 1;
        (number, line.location.as_ref().and_then(|id| self.origin(id)))
    }

    /// A place in the source by the number of its metadata.
    fn origin(&self, id: &str) -> Option<String> {
        let node = |id: &str| {
            let head = format!("!{id} = ");
            self.module.text().lines().find(|line| line.starts_with(&head))
        };
        let field = |line: &str, name: &str| {
            let at = line.find(&format!("{name}: "))? + name.len() + 2;
            let rest = &line[at..];
            Some(rest[..rest.find([',', ')'])?].trim_matches('"').to_owned())
        };
        let location = node(id)?;
        let (line, column) = (field(location, "line")?, field(location, "column").unwrap_or_default());
        let mut scope = field(location, "scope")?;
        // A scope names its file, or one around it does.
        for _ in 0..64 {
            let own = node(scope.strip_prefix('!')?)?;
            if let Some(file) = field(own, "file") {
                let file = field(node(file.strip_prefix('!')?)?, "filename")?;
                return Some(format!("{file}:{line}:{column}"));
            }
            scope = field(own, "scope")?;
        }
        None
    }
}

/// The slices of a function's values, of which `values` counts those that have some.
fn slices_of(outline: &Outline, cutter: &Cutter<'_>, limit: usize, values: &mut usize) -> Vec<Slice> {
    let mut all = Vec::new();
    for (section, block) in outline.sections.iter().enumerate() {
        for line in 0..block.lines.len() {
            let mut own: Vec<Slice> = cutter.cut(section, line, limit).into_iter().collect();
            // What is small is cut in one way.
            if own.first().is_some_and(|slice| slice.computed.len() > FEW) {
                own.extend(cutter.cut(section, line, FEW));
            }
            *values += usize::from(!own.is_empty());
            own.retain(|slice| slice.size() >= LEAST);
            own.dedup();
            all.extend(own);
        }
    }
    all
}
