//! From the text of a `.lsys` file to a [`Grammar`]; `docs/GRAMMAR.md` describes the language.

use super::error::{GrammarError, Place, Wrong, wrong, wrong_at};
use super::expression::{Expression, Names, RESERVED};
use super::scan::Scanner;
use super::settings::Settings;
use std::collections::BTreeMap;

/// A grammar that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Grammar {
    pub(super) file: String,
    pub(super) settings: Settings,
    /// Every letter with each number of arguments it comes with.
    pub(super) symbols: Vec<Symbol>,
    pub(super) axiom: Letters,
    /// By symbol.
    pub(super) rules: Vec<Rules>,
}

/// A letter with a certain number of arguments; `A(x)` and `A(x, y)` are two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Symbol {
    pub(super) letter: char,
    pub(super) arguments: usize,
}

/// A string of letters whose arguments are still to be computed, those of all letters in a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Letters {
    pub(super) symbols: Vec<u16>,
    pub(super) arguments: Vec<Expression>,
}

/// All productions of a symbol, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rules {
    pub(super) list: Vec<Rule>,
    /// One is drawn by weight; otherwise the first that applies is taken.
    pub(super) weighted: bool,
}

/// One production.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rule {
    pub(super) condition: Option<Expression>,
    pub(super) weight: Option<Expression>,
    pub(super) successor: Letters,
    pub(super) at: Place,
}

/// A string of letters has no more arguments per letter than this.
const MOST_ARGUMENTS: usize = 16;

/// Letters that a plant is written with; `=` and `,` and parentheses are punctuation.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || "+-&^\\/|$!'\"[]~@".contains(c)
}

impl Grammar {
    /// Reads a grammar; `file` is what messages call it.
    pub fn parse(text: &str, file: &str) -> Result<Self, GrammarError> {
        let mut reader = Reader {
            scanner: Scanner::new(text),
            grammar: Self {
                file: file.into(),
                settings: Settings::default(),
                symbols: Vec::new(),
                axiom: Letters::default(),
                rules: Vec::new(),
            },
            numbers: BTreeMap::new(),
            constants: BTreeMap::new(),
            seen: Vec::new(),
        };
        reader.read().map_err(|e| GrammarError::new(file, e))?;
        Ok(reader.grammar)
    }
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    grammar: Grammar,
    /// Of the symbols.
    numbers: BTreeMap<Symbol, u16>,
    constants: BTreeMap<String, f64>,
    /// Keys that were given.
    seen: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    fn read(&mut self) -> Result<(), Wrong> {
        while let Some(first) = self.scanner.statement()? {
            let (at, word) = (self.scanner.at(), self.scanner.word());
            if word.len() < 2 {
                self.production(first)?;
            } else if self.seen.is_empty() && word != "version" {
                return Err(wrong_at(
                    at,
                    format!("found `{word}`; expected `version = 1`"),
                ));
            } else {
                self.setting()?;
            }
        }
        for key in ["version", "axiom"] {
            if !self.seen.contains(&key) {
                let found = if self.seen.is_empty() {
                    "found nothing"
                } else {
                    "is not complete"
                };
                return Err(wrong(format!("{found}; expected `{key} = …`")));
            }
        }
        Ok(())
    }

    fn setting(&mut self) -> Result<(), Wrong> {
        let at = self.scanner.at();
        let word = self.scanner.word();
        Settings::check_key(word).map_err(|what| wrong_at(at, what))?;
        self.scanner.skip(word);
        if word == "const" {
            return self.constant();
        }
        if self.seen.contains(&word) {
            return Err(wrong_at(
                at,
                format!("found a second `{word}`; expected one"),
            ));
        }
        self.seen.push(word);
        if word == "axiom" {
            self.scanner.expect("=")?;
            self.grammar.axiom = self.letters(&[])?;
            return Ok(());
        }
        self.grammar
            .settings
            .read(word, &mut self.scanner, &self.constants)
    }

    fn constant(&mut self) -> Result<(), Wrong> {
        let (at, name) = self.new_name()?;
        self.scanner.expect("=")?;
        let value = Expression::parse_constant(&mut self.scanner, &self.constants)?;
        if self.constants.insert(name.into(), value).is_some() {
            let what = format!("found a second constant `{name}`; expected another name");
            return Err(wrong_at(at, what));
        }
        Ok(())
    }

    /// A name for a constant or parameter.
    fn new_name(&mut self) -> Result<(Place, &'a str), Wrong> {
        self.scanner.peek();
        let at = self.scanner.at();
        let name = self.scanner.name()?;
        if RESERVED.contains(&name) {
            let what = format!("found `{name}`, which is an operator; expected another name");
            return Err(wrong_at(at, what));
        }
        Ok((at, name))
    }

    /// `A(x, y) : condition with weight -> successor`
    fn production(&mut self, letter: char) -> Result<(), Wrong> {
        let at = self.scanner.at();
        if !is_letter(letter) || "[]".contains(letter) {
            let what = format!(
                "found `{}`; expected a key such as `axiom`, or a letter that a production replaces",
                letter.escape_debug()
            );
            return Err(wrong_at(at, what));
        }
        self.scanner.take();
        let parameters = self.parameters()?;
        let names = Names {
            constants: &self.constants,
            parameters: &parameters,
        };
        let mut part = |start: &str| {
            let here = self.scanner.take_if(start);
            here.then(|| Expression::parse(&mut self.scanner, &names))
                .transpose()
        };
        let condition = part(":")?;
        let weight = part("with")?;
        if !self.scanner.take_if("->") {
            let missing: &[&str] = match (&condition, &weight) {
                (None, None) => &["`:`", "`with`"],
                (Some(_), None) => &["an operator", "`with`"],
                _ => &["an operator"],
            };
            let wanted = format!("{} or `->`", missing.join(", "));
            return Err(self.scanner.expected(&wanted));
        }
        let successor = self.letters(&parameters)?;
        let symbol = self.symbol(letter, parameters.len(), at)?;
        let rules = &mut self.grammar.rules[usize::from(symbol)];
        let weighted = weight.is_some();
        if !rules.list.is_empty() && rules.weighted != weighted {
            let what = format!(
                "some productions of {letter} have a weight and some have none; expected `with` in all of them or in none"
            );
            return Err(wrong_at(at, what));
        }
        rules.weighted = weighted;
        rules.list.push(Rule {
            condition,
            weight,
            successor,
            at,
        });
        Ok(())
    }

    fn parameters(&mut self) -> Result<Vec<&'a str>, Wrong> {
        let mut parameters = Vec::new();
        if !self.scanner.take_if("(") {
            return Ok(parameters);
        }
        loop {
            let (at, name) = self.new_name()?;
            if parameters.contains(&name) {
                let what = format!("found a second parameter `{name}`; expected another name");
                return Err(wrong_at(at, what));
            }
            parameters.push(name);
            if self.scanner.take_if(")") {
                return Ok(parameters);
            }
            if !self.scanner.take_if(",") {
                return Err(self.scanner.expected("`,` or `)`"));
            }
        }
    }

    /// Letters with their arguments up to the end of the statement; `.` stands for none.
    fn letters(&mut self, parameters: &[&str]) -> Result<Letters, Wrong> {
        let mut letters = Letters::default();
        let mut open = Vec::new();
        if self.scanner.take_if(".") {
            return Ok(letters);
        }
        while let Some(letter) = self.scanner.peek() {
            let at = self.scanner.at();
            if !is_letter(letter) {
                return Err(self.scanner.expected("a letter"));
            }
            self.scanner.take();
            match letter {
                '[' => open.push(at),
                ']' if open.pop().is_none() => {
                    return Err(wrong_at(at, "found `]`; expected a `[` before it"));
                }
                _ => (),
            }
            let arguments = self.arguments(&mut letters, parameters)?;
            letters.symbols.push(self.symbol(letter, arguments, at)?);
        }
        match open.pop() {
            Some(at) => Err(wrong_at(
                at,
                "found `[` without its end; expected a `]` after it",
            )),
            None if letters.symbols.is_empty() => {
                Err(self.scanner.expected("letters, or `.` for none"))
            }
            None => Ok(letters),
        }
    }

    /// Arguments of one letter, if it has any; gives their number.
    fn arguments(&mut self, letters: &mut Letters, parameters: &[&str]) -> Result<usize, Wrong> {
        if !self.scanner.take_if("(") {
            return Ok(0);
        }
        let names = Names {
            constants: &self.constants,
            parameters,
        };
        let before = letters.arguments.len();
        loop {
            let argument = Expression::parse(&mut self.scanner, &names)?;
            letters.arguments.push(argument);
            if self.scanner.take_if(")") {
                return Ok(letters.arguments.len() - before);
            }
            if !self.scanner.take_if(",") {
                return Err(self.scanner.expected("an operator, `,` or `)`"));
            }
        }
    }

    /// The number of a symbol.
    fn symbol(&mut self, letter: char, arguments: usize, at: Place) -> Result<u16, Wrong> {
        if arguments > MOST_ARGUMENTS {
            let what =
                format!("{letter} has {arguments} arguments; expected at most {MOST_ARGUMENTS}");
            return Err(wrong_at(at, what));
        }
        let symbol = Symbol { letter, arguments };
        let grammar = &mut self.grammar;
        Ok(*self.numbers.entry(symbol).or_insert_with(|| {
            grammar.symbols.push(symbol);
            grammar.rules.push(Rules::default());
            // At most 67 letters with 17 numbers of arguments each.
            (grammar.symbols.len() - 1) as u16
        }))
    }
}
