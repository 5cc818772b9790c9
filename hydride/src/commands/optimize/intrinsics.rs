//! What intrinsics mean and what instructions are in LLVM, for several threads.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use codegen_gen::VendorIr;
use hydride_ir::Bits;
use llvm_text::Type;
use optimize::{Callee, Lowering, callee};
use refine::ast::Body;
use refine::{Intrinsics, Module, Target};
use search::Instruction;

use crate::Session;
use crate::commands::generate::lowering_data;
use crate::commands::verify::targets::Documents;

/// Bits of an operand that may be an immediate.
const IMMEDIATE: u32 = 32;
/// Answers that are remembered for each intrinsic.
const MAX_ANSWERS: usize = 256;

type Answer = Result<Target, String>;

/// An intrinsic's operands that are constants, each with the answer for them.
type Answers = Vec<(Vec<Option<Bits>>, Answer)>;

/// An instruction with values of its immediates.
type Choice = (String, Vec<i64>);

/// The meanings of intrinsics, each read once.
pub struct Known<'s> {
    session: &'s Session,
    specs: Option<PathBuf>,
    /// Read when an intrinsic is asked for.
    documents: Mutex<Option<Documents<'s>>>,
    found: Mutex<HashMap<String, Answers>>,
    pure: Mutex<HashMap<String, bool>>,
}

impl<'s> Known<'s> {
    /// Those of every instruction set's documents.
    pub fn new(session: &'s Session, specs: Option<PathBuf>) -> Self {
        let (documents, found, pure) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { session, specs, documents, found, pure }
    }

    /// What the documents say.
    fn documents<T>(&self, of: impl FnOnce(&Documents<'s>) -> T) -> Result<T> {
        let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        if documents.is_none() {
            *documents = Some(Documents::new(self.session, self.specs.clone())?);
        }
        documents.as_ref().map(of).context("there are no documents")
    }

    /// Whether the documents of no instruction set but this one were read so far.
    pub fn is_of(&self, isa: &str) -> bool {
        let documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        documents.as_ref().is_none_or(|own| own.sets().iter().all(|own| own.name() == isa))
    }

    /// Whether a call of a function is a value without effects that may have a meaning.
    pub fn is_value(&self, name: &str) -> bool {
        if optimize::is_generic(name) {
            return true;
        }
        if !name.starts_with("llvm.") {
            return false;
        }
        let mut pure = self.pure.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = pure.get(name) {
            return *known;
        }
        let answer = self.documents(|documents| documents.is_instruction(name)).unwrap_or(false);
        pure.insert(name.to_owned(), answer);
        answer
    }
}

impl Intrinsics for Known<'_> {
    fn find(&self, name: &str, constants: &[Option<Bits>]) -> Result<Target, String> {
        // Only what can be an immediate tells instructions apart.
        let narrow = |bits: &Option<Bits>| bits.clone().filter(|bits| bits.width() <= IMMEDIATE);
        let key: Vec<Option<Bits>> = constants.iter().map(narrow).collect();
        let lock = || self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answers) = lock().get(name)
            && let Some((_, answer)) = answers.iter().find(|(known, _)| *known == key)
        {
            return answer.clone();
        }
        // Documents are read by several threads; this one must not take up another slice, which may ask here too.
        let reads = || match self.documents(|documents| documents.find(name, &key)) {
            Ok(answer) => answer,
            Err(error) => Err(format!("{error:#}")),
        };
        let answer = std::thread::scope(|scope| scope.spawn(reads).join())
            .unwrap_or_else(|_| Err(format!("@{name} cannot be looked up")));
        let mut found = lock();
        let answers = found.entry(name.to_owned()).or_default();
        if answers.len() < MAX_ANSWERS {
            answers.push((key, answer.clone()));
        }
        answer
    }
}

/// What instructions are in one release of LLVM.
pub struct Templates {
    data: VendorIr,
    read: Mutex<HashMap<Choice, Option<Body>>>,
}

impl Templates {
    /// Those of the oldest release that there is data for: later ones read its assembly.
    pub fn new(session: &Session, isa: &str) -> Result<Option<Self>> {
        let mut all = lowering_data::vendors(session, &[isa])?;
        all.sort_by_key(|data| data.llvm);
        Ok(all.into_iter().next().map(|data| Self { data, read: Mutex::default() }))
    }

    /// The intrinsics of two operands that instructions without immediates are, each once: of vectors those of instructions that
    /// `is_there` admits, and all of numbers.
    pub fn callees(&self, is_there: &dyn Fn(&str) -> bool) -> Vec<Callee> {
        let mut all: BTreeMap<String, Callee> = BTreeMap::new();
        for (id, at) in &self.data.members {
            let Some(function) = self.data.functions.get(*at) else { continue };
            let is_vector = matches!(function.result, Type::Vector(..));
            let has_two = function.immediates == 0 && function.params.len() == 2;
            if has_two && (!is_vector || is_there(id)) {
                let found = self.make(id, &[]).and_then(|body| callee(&body));
                all.extend(found.map(|own| (own.name.clone(), own)));
            }
        }
        all.into_values().collect()
    }

    fn make(&self, instruction: &str, immediates: &[i64]) -> Option<Body> {
        let function = self.data.functions.get(*self.data.members.get(instruction)?)?;
        let case = function.cases()?.into_iter().find(|case| case.values == immediates)?;
        let parameters: Vec<String> =
            function.params.iter().enumerate().map(|(at, ty)| format!("{ty} %a{at}")).collect();
        let lines = case.lines.join("\n  ");
        let text = format!("define {} @f({}) {{\n  {lines}\n}}\n", function.result, parameters.join(", "));
        Module::parse(&text).ok()?.functions.into_iter().next()?.body.ok()
    }
}

impl Lowering for Templates {
    fn body(&self, instruction: &Instruction, immediates: &[i64]) -> Option<Body> {
        let key = (instruction.id.clone(), immediates.to_vec());
        let lock = || self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&key) {
            return known.clone();
        }
        let body = self.make(&instruction.id, immediates);
        lock().insert(key, body.clone());
        body
    }
}
