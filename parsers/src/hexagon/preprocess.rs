//! C macro expansion: object-like and function-like macros, `#`, `##`, names passed as arguments.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::lex::{Kind, Token, closing, split_arguments, tokens};
use super::source::Fault;
use crate::pseudocode::Reason;

/// Tokens that the expansion of one entry may produce on the way.
const MAX_TOKENS: usize = 400_000;

/// Depth of macro uses inside arguments and bodies.
const MAX_DEPTH: usize = 64;

/// A macro: parameters (`None` for an object-like one) and body.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    pub params: Option<Vec<Rc<str>>>,
    pub body: Vec<Token>,
}

/// The macros in force at a point of a document.
#[derive(Clone, Debug, Default)]
pub(super) struct Macros {
    defined: FxHashMap<Rc<str>, Macro>,
}

impl Macros {
    pub fn define(&mut self, name: &str, definition: Macro) {
        self.defined.insert(name.into(), definition);
    }

    /// Defines a macro from the tokens that follow `#define`.
    pub fn define_directive(&mut self, line: &[Token]) -> Result<(), Fault> {
        let Some((name, rest)) = line.split_first().filter(|(name, _)| name.is_name()) else {
            let at = line.first().map_or(0, |token| token.origin as usize);
            return Err(Fault::failed(Reason::Preprocessor, at, "#define without a name"));
        };
        let (params, body) = match rest.first() {
            Some(open) if open.is("(") && !open.spaced => {
                let end = closing(rest, 0).ok_or_else(|| {
                    let message = format!("the parameter list of {} does not end", name.text);
                    Fault::failed(Reason::Preprocessor, name.origin as usize, message)
                })?;
                let names = rest[1..end].iter().filter(|token| token.is_name());
                (Some(names.map(|token| token.text.clone()).collect()), &rest[end + 1..])
            }
            _ => (None, rest),
        };
        self.define(&name.text, Macro { params, body: body.to_vec() });
        Ok(())
    }

    pub fn undefine(&mut self, name: &str) {
        self.defined.remove(name);
    }

    pub fn contains(&self, name: &str) -> bool {
        self.defined.contains_key(name)
    }

    pub fn is_function(&self, name: &str) -> bool {
        self.defined.get(name).is_some_and(|definition| definition.params.is_some())
    }

    /// The tokens with all macros replaced.
    pub fn expand(&self, tokens: &[Token]) -> Result<Vec<Token>, Fault> {
        let mut expander = Expander { macros: self, active: Vec::new(), produced: 0 };
        let mut out = Vec::new();
        expander.expand(tokens, &mut out, 0)?;
        Ok(out)
    }
}

struct Expander<'a> {
    macros: &'a Macros,
    active: Vec<Rc<str>>,
    produced: usize,
}

impl Expander<'_> {
    fn expand(&mut self, tokens: &[Token], out: &mut Vec<Token>, depth: usize) -> Result<(), Fault> {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            let Some(definition) = self.macros.defined.get(&token.text).filter(|_| token.is_name()) else {
                self.produce(out, token.clone())?;
                continue;
            };
            let called = tokens.get(at).is_some_and(|next| next.is("("));
            if definition.params.is_some() && !called {
                self.produce(out, token.clone())?;
                continue;
            }
            let place = token.origin as usize;
            if self.active.contains(&token.text) {
                let message = format!("the macro {} calls itself", token.text);
                return Err(Fault::failed(Reason::MacroRecursion, place, message));
            }
            if depth >= MAX_DEPTH {
                return Err(Fault::failed(Reason::Limit, place, "macros are nested too deeply"));
            }
            let replaced = match &definition.params {
                None => self.substitute(token, definition, &[], &[], depth)?,
                Some(params) => {
                    let Some(end) = closing(tokens, at) else {
                        let message = format!("the arguments of {} do not end", token.text);
                        return Err(Fault::failed(Reason::Syntax, place, message));
                    };
                    let mut arguments = split_arguments(&tokens[at + 1..end]);
                    if params.is_empty() && arguments.len() == 1 && arguments[0].is_empty() {
                        arguments.clear();
                    }
                    if arguments.len() != params.len() {
                        let message = format!(
                            "the macro {} takes {} arguments, {} are given",
                            token.text,
                            params.len(),
                            arguments.len()
                        );
                        return Err(Fault::failed(Reason::MacroArguments, place, message));
                    }
                    at = end + 1;
                    self.substitute(token, definition, params, &arguments, depth)?
                }
            };
            self.active.push(token.text.clone());
            self.expand(&replaced, out, depth + 1)?;
            self.active.pop();
        }
        Ok(())
    }

    fn produce(&mut self, out: &mut Vec<Token>, token: Token) -> Result<(), Fault> {
        self.produced += 1;
        if self.produced > MAX_TOKENS {
            return Err(Fault::failed(
                Reason::Limit,
                token.origin as usize,
                format!("more than {MAX_TOKENS} tokens"),
            ));
        }
        out.push(token);
        Ok(())
    }

    /// The body of a macro with its parameters substituted: expanded, except next to `#` and `##`.
    fn substitute(
        &mut self,
        used: &Token,
        definition: &Macro,
        params: &[Rc<str>],
        arguments: &[&[Token]],
        depth: usize,
    ) -> Result<Vec<Token>, Fault> {
        let body = &definition.body;
        let position =
            |token: &Token| params.iter().position(|param| token.is_name() && **param == *token.text);
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; arguments.len()];
        let mut out: Vec<Token> = Vec::with_capacity(body.len());
        let mut at = 0;
        // Whether the next operand is pasted to the last token.
        let mut paste = false;
        while let Some(token) = body.get(at) {
            at += 1;
            if token.is("##") {
                paste = true;
                continue;
            }
            let mut operand: Vec<Token>;
            if token.is("#") && definition.params.is_some() {
                let Some(param) = body.get(at).and_then(position) else { continue };
                at += 1;
                operand = vec![Token {
                    text: stringize(arguments[param]).into(),
                    kind: Kind::Literal,
                    ..token.clone()
                }];
            } else if let Some(param) = position(token) {
                let raw = paste || body.get(at).is_some_and(|next| next.is("##"));
                if raw {
                    operand = arguments[param].to_vec();
                } else {
                    if expanded[param].is_none() {
                        let mut tokens = Vec::new();
                        self.expand(arguments[param], &mut tokens, depth + 1)?;
                        expanded[param] = Some(tokens);
                    }
                    operand = expanded[param].clone().unwrap_or_default();
                }
                if let Some(first) = operand.first_mut() {
                    first.spaced = token.spaced;
                }
            } else {
                operand = vec![Token { origin: used.origin, ..token.clone() }];
            }
            for token in &mut operand {
                token.starts_line = false;
            }
            self.produced += operand.len();
            if self.produced > MAX_TOKENS {
                return Err(Fault::failed(
                    Reason::Limit,
                    used.origin as usize,
                    format!("more than {MAX_TOKENS} tokens"),
                ));
            }
            if std::mem::take(&mut paste)
                && !operand.is_empty()
                && let Some(left) = out.pop()
            {
                let right = operand.remove(0);
                out.extend(pasted(&left, &right));
            }
            out.extend(operand);
        }
        Ok(out)
    }
}

fn stringize(argument: &[Token]) -> String {
    let mut text = String::from("\"");
    for (at, token) in argument.iter().enumerate() {
        if at > 0 && token.spaced {
            text.push(' ');
        }
        if token.kind == Kind::Literal {
            text.push_str(&token.text.replace('\\', "\\\\").replace('"', "\\\""));
        } else {
            text.push_str(&token.text);
        }
    }
    text.push('"');
    text
}

/// Two tokens written without space between them.
fn pasted(left: &Token, right: &Token) -> Vec<Token> {
    let joined = tokens(&format!("{}{}", left.text, right.text));
    let first = |mut token: Token| {
        (token.origin, token.spaced, token.starts_line) = (right.origin, left.spaced, false);
        token
    };
    joined.into_iter().map(first).collect()
}
