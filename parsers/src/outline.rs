//! What an entry of a document says before it gets semantics, for comparing documents.

/// An entry as written in its document. Errata are not applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The entry's id, as in the ledger.
    pub id: String,
    /// The machine features that it needs, in document order; empty if the document does not say.
    pub extensions: Vec<String>,
    /// The result's C type; empty where the document has none.
    pub result: String,
    /// C types and names of the parameters; empty where the document has none.
    pub args: Vec<(String, String)>,
    /// The machine instructions that the document names for it, as documented.
    pub mnemonics: Vec<String>,
    /// What kind of text `text` is.
    pub form: Form,
    /// The text of its semantics; empty where there is none.
    pub text: String,
}

/// What kind of text says what an entry means. Only texts of one kind can be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// The operation of the entry (x86), with operands and places of the arguments (Arm).
    #[default]
    Operation,
    /// The ASL of the entry's instructions, with operands and places of the arguments (Arm).
    Asl,
    /// A record of the semantics file (HVX).
    Semantics,
    /// A record of the manual (HVX).
    Manual,
    /// The assembly syntax in the prototypes (HVX).
    Prototype,
}
