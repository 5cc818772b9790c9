//! A module with the slices of its values, and with what was found in their place.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use optimize::{Change, Cutter, Editor, Flow, Slice, edited, machine_attributes};
use refine::{Module, Outline};

use super::intrinsics::Known;
use super::search::Found;

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

/// A module.
pub struct Source {
    /// Its file.
    pub path: PathBuf,
    /// What is in it.
    pub module: Module,
    /// Its functions line by line; `None` for those that are left alone.
    pub outlines: Vec<Option<Outline>>,
    /// What computes its values.
    pub slices: Vec<Place>,
    /// Values that were looked at.
    pub values: usize,
}

/// A change that was made.
pub struct Made<'a> {
    /// Where.
    pub place: &'a Place,
    /// Its line in the file.
    pub line: usize,
    /// The place in the source that its `!dbg` names: `file:line:column`.
    pub origin: Option<String>,
}

impl Source {
    /// Reads a module and cuts its slices.
    pub fn read(path: &Path, known: &Known<'_>, limit: usize) -> Result<Self> {
        let text = super::text(path)?;
        let module = Module::parse(&text).map_err(|fault| anyhow!("{}:{fault}", path.display()))?;
        let mut source =
            Self { path: path.to_owned(), outlines: Vec::new(), slices: Vec::new(), values: 0, module };
        for (function, own) in source.module.functions.iter().enumerate() {
            let outline = match source.module.outline(own) {
                Ok(outline) => Some(outline),
                Err(fault) => {
                    tracing::warn!("{}:{fault}: @{} is left as it is", path.display(), own.name);
                    None
                }
            };
            if let Some(outline) = &outline
                && let Some(flow) = Flow::new(outline)
            {
                let attributes = machine_attributes(&source.module, outline);
                let is_value = |name: &str| known.is_value(name);
                let cutter = Cutter::new(outline, &flow, &is_value);
                for (section, block) in outline.sections.iter().enumerate() {
                    for line in 0..block.lines.len() {
                        let mut own: Vec<Slice> = cutter.cut(section, line, limit).into_iter().collect();
                        // What is small is cut in one way.
                        if own.first().is_some_and(|slice| slice.computed.len() > FEW) {
                            own.extend(cutter.cut(section, line, FEW));
                        }
                        source.values += usize::from(!own.is_empty());
                        own.retain(|slice| slice.size() >= LEAST);
                        own.dedup();
                        for slice in own {
                            let key = format!("{attributes}\n{}", slice.key());
                            let attributes = attributes.clone();
                            source.slices.push(Place { function, slice, attributes, key });
                        }
                    }
                }
            }
            source.outlines.push(outline);
        }
        Ok(source)
    }

    /// The text with all that was found but in the functions at some positions, and what was changed.
    pub fn changed<'a>(
        &'a self,
        found: &BTreeMap<String, Found>,
        without: &BTreeSet<usize>,
    ) -> (String, Vec<Made<'a>>) {
        let (mut edits, mut made) = (Vec::new(), Vec::new());
        for (at, (function, outline)) in self.module.functions.iter().zip(&self.outlines).enumerate() {
            let Some(outline) = outline.as_ref().filter(|_| !without.contains(&at)) else { continue };
            let mut editor = Editor::new(function, outline);
            let own = self.slices.iter().filter(|place| place.function == at);
            let mut own: Vec<(&Place, &Found)> =
                own.filter_map(|place| Some((place, found.get(place.key.as_str())?))).collect();
            // From the end, so that what only served a changed value is gone; the greatest gain first.
            own.sort_by(|(a, x), (b, y)| {
                let place = |place: &Place| (place.slice.section, place.slice.line);
                place(b).cmp(&place(a)).then(y.gain().total_cmp(&x.gain()))
            });
            let mut seen = BTreeSet::new();
            for (place, found) in own {
                let change = Change { slice: &place.slice, body: &found.body };
                if seen.contains(&(place.slice.section, place.slice.line)) || !editor.change(change) {
                    continue;
                }
                seen.insert((place.slice.section, place.slice.line));
                let line = &outline.sections[place.slice.section].lines[place.slice.line];
                let number = self.module.text()[..line.span.start].matches('\n').count() + 1;
                let origin = line.location.as_ref().and_then(|id| self.origin(id));
                made.push(Made { place, line: number, origin });
            }
            edits.extend(editor.edits());
        }
        (edited(&self.module, &edits), made)
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
