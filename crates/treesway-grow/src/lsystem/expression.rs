//! Arithmetic in the arguments, conditions and weights of productions.
//!
//! An expression is compiled to a list of operations on a stack, so that a million letters are evaluated without walking
//! trees. Truth is a number: 0 is false, everything else true. Trigonometric functions take degrees, as turtles do.

use super::error::{Place, Wrong, wrong_at};
use super::scan::Scanner;
use std::collections::BTreeMap;
use treesway::math::Rng;

/// How deep parentheses, signs and powers may nest; the parser is recursive.
const MOST_NESTING: usize = 64;

/// A compiled expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    /// The common cases, without a stack.
    Number(f64),
    Parameter(usize),
    Code(Vec<Op>),
}

/// One operation; operands come from the stack and the result goes there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Op {
    Number(f64),
    Parameter(usize),
    Negate,
    Not,
    Call(Function),
    Binary(Binary),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Function {
    Sqrt,
    Abs,
    Floor,
    Round,
    Exp,
    Log,
    Sin,
    Cos,
    Tan,
    Min,
    Max,
    Random,
}

/// Functions by name, with how many arguments they take.
const FUNCTIONS: [(&str, usize, Function); 12] = [
    ("sqrt", 1, Function::Sqrt),
    ("abs", 1, Function::Abs),
    ("floor", 1, Function::Floor),
    ("round", 1, Function::Round),
    ("exp", 1, Function::Exp),
    ("log", 1, Function::Log),
    ("sin", 1, Function::Sin),
    ("cos", 1, Function::Cos),
    ("tan", 1, Function::Tan),
    ("min", 2, Function::Min),
    ("max", 2, Function::Max),
    ("random", 2, Function::Random),
];

/// Binary operators with how tightly they bind; of two that begin alike the longer comes first.
const OPERATORS: [(&str, u8, Binary); 14] = [
    ("or", 1, Binary::Or),
    ("and", 2, Binary::And),
    ("<=", 3, Binary::LessEqual),
    (">=", 3, Binary::GreaterEqual),
    ("==", 3, Binary::Equal),
    ("!=", 3, Binary::NotEqual),
    ("<", 3, Binary::Less),
    (">", 3, Binary::Greater),
    ("+", 4, Binary::Add),
    ("-", 4, Binary::Subtract),
    ("*", 5, Binary::Multiply),
    ("/", 5, Binary::Divide),
    ("%", 5, Binary::Remainder),
    ("^", 7, Binary::Power),
];
const NOT: u8 = 3;
const NEGATE: u8 = 6;

/// Words that mean something in an expression or end it.
pub(super) const RESERVED: [&str; 4] = ["and", "or", "not", "with"];

/// Names that an expression may use.
pub(super) struct Names<'a> {
    pub(super) constants: &'a BTreeMap<String, f64>,
    /// Of the letter that is replaced.
    pub(super) parameters: &'a [&'a str],
}

/// What evaluation needs beside the parameters.
pub(super) struct Machine {
    pub(super) rng: Rng,
    stack: Vec<f64>,
}

impl Machine {
    pub(super) fn new(rng: Rng) -> Self {
        Self {
            rng,
            stack: Vec::new(),
        }
    }
}

impl Expression {
    /// Reads an expression.
    pub(super) fn parse(scanner: &mut Scanner, names: &Names) -> Result<Self, Wrong> {
        let mut parser = Parser {
            scanner,
            names,
            code: Vec::new(),
            nesting: 0,
        };
        parser.binary(0)?;
        Ok(match parser.code[..] {
            [Op::Number(n)] => Self::Number(n),
            [Op::Parameter(p)] => Self::Parameter(p),
            _ => Self::Code(parser.code),
        })
    }

    /// Reads an expression of constants and gives its value, a finite number.
    pub(super) fn parse_constant(
        scanner: &mut Scanner,
        constants: &BTreeMap<String, f64>,
    ) -> Result<f64, Wrong> {
        scanner.peek();
        let at = scanner.at();
        let names = Names {
            constants,
            parameters: &[],
        };
        let expression = Self::parse(scanner, &names)?;
        if expression.is_random() {
            let what =
                "found random(); expected a constant; random numbers belong into productions";
            return Err(wrong_at(at, what));
        }
        let value = expression.value(&[], &mut Machine::new(Rng::new(0, 0)));
        if value.is_finite() {
            return Ok(value);
        }
        Err(wrong_at(
            at,
            format!("is {value}; expected a finite number"),
        ))
    }

    /// How much work an evaluation is, in operations.
    pub(super) fn cost(&self) -> usize {
        match self {
            Self::Code(code) => code.len(),
            _ => 1,
        }
    }

    fn is_random(&self) -> bool {
        let Self::Code(code) = self else { return false };
        code.contains(&Op::Call(Function::Random))
    }

    /// Its value for the parameters of a letter.
    pub(super) fn value(&self, parameters: &[f64], machine: &mut Machine) -> f64 {
        match self {
            Self::Number(n) => *n,
            Self::Parameter(p) => parameters[*p],
            Self::Code(code) => {
                machine.stack.clear();
                for op in code {
                    machine.apply(*op, parameters);
                }
                machine.pop()
            }
        }
    }
}

impl Machine {
    /// The compiler leaves as many numbers as each operation takes.
    fn pop(&mut self) -> f64 {
        self.stack.pop().unwrap_or(f64::NAN)
    }

    fn apply(&mut self, op: Op, parameters: &[f64]) {
        let result = match op {
            Op::Number(n) => n,
            Op::Parameter(p) => parameters[p],
            Op::Negate => -self.pop(),
            Op::Not => f64::from(self.pop() == 0.0),
            Op::Call(function) => self.call(function),
            Op::Binary(binary) => {
                let right = self.pop();
                let left = self.pop();
                binary.of(left, right)
            }
        };
        self.stack.push(result);
    }

    fn call(&mut self, function: Function) -> f64 {
        let x = self.pop();
        match function {
            Function::Sqrt => libm::sqrt(x),
            Function::Abs => x.abs(),
            Function::Floor => libm::floor(x),
            Function::Round => libm::round(x),
            Function::Exp => libm::exp(x),
            Function::Log => libm::log(x),
            Function::Sin => libm::sin(x.to_radians()),
            Function::Cos => libm::cos(x.to_radians()),
            Function::Tan => libm::tan(x.to_radians()),
            Function::Min => self.pop().min(x),
            Function::Max => self.pop().max(x),
            Function::Random => {
                let low = self.pop();
                self.rng.between(low, x)
            }
        }
    }
}

impl Binary {
    fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Remainder => libm::fmod(a, b),
            Self::Power => libm::pow(a, b),
            Self::Less => f64::from(a < b),
            Self::LessEqual => f64::from(a <= b),
            Self::Greater => f64::from(a > b),
            Self::GreaterEqual => f64::from(a >= b),
            Self::Equal => f64::from(a == b),
            Self::NotEqual => f64::from(a != b),
            Self::And => f64::from(a != 0.0 && b != 0.0),
            Self::Or => f64::from(a != 0.0 || b != 0.0),
        }
    }
}

struct Parser<'a, 's> {
    scanner: &'a mut Scanner<'s>,
    names: &'a Names<'a>,
    code: Vec<Op>,
    nesting: usize,
}

impl Parser<'_, '_> {
    /// Operands joined by operators that bind more tightly than `least`.
    fn binary(&mut self, least: u8) -> Result<(), Wrong> {
        self.nesting += 1;
        if self.nesting > MOST_NESTING {
            let what = format!("nests deeper than {MOST_NESTING}; expected a simpler expression");
            return Err(wrong_at(self.scanner.at(), what));
        }
        self.operand()?;
        while let Some((sign, binds, binary)) = self.operator(least) {
            self.scanner.take_if(sign);
            // A power binds to the right: 2^3^2 is 2^9.
            let right = binds - u8::from(binary == Binary::Power);
            self.binary(right)?;
            self.code.push(Op::Binary(binary));
        }
        self.nesting -= 1;
        Ok(())
    }

    /// The operator that comes next, if it binds more tightly than `least`.
    fn operator(&mut self, least: u8) -> Option<(&'static str, u8, Binary)> {
        self.scanner.peek()?;
        // An arrow ends the condition.
        if self.scanner.sees("->") {
            return None;
        }
        let word = self.scanner.word();
        let known = OPERATORS.into_iter().find(|(sign, ..)| {
            if word.is_empty() {
                self.scanner.sees(sign)
            } else {
                word == *sign
            }
        });
        known.filter(|(_, binds, _)| *binds > least)
    }

    fn operand(&mut self) -> Result<(), Wrong> {
        let Some(next) = self.scanner.peek() else {
            return Err(self.scanner.expected("a number, a name or `(`"));
        };
        let at = self.scanner.at();
        match next {
            '(' => {
                self.scanner.expect("(")?;
                self.binary(0)?;
                self.scanner.expect(")")
            }
            '-' => {
                self.scanner.expect("-")?;
                self.binary(NEGATE)?;
                self.code.push(Op::Negate);
                Ok(())
            }
            '0'..='9' | '.' => {
                let number = self.scanner.number()?;
                self.code.push(Op::Number(number));
                Ok(())
            }
            _ => match self.scanner.word() {
                "" => Err(self.scanner.expected("a number, a name or `(`")),
                "not" => {
                    self.scanner.name()?;
                    self.binary(NOT - 1)?;
                    self.code.push(Op::Not);
                    Ok(())
                }
                _ => self.named(at),
            },
        }
    }

    fn named(&mut self, at: Place) -> Result<(), Wrong> {
        let name = self.scanner.name()?;
        if self.scanner.sees("(") {
            let Some((_, count, function)) = FUNCTIONS.iter().find(|f| f.0 == name) else {
                let known = FUNCTIONS.map(|f| f.0);
                return Err(wrong_at(at, unknown("function", name, &known)));
            };
            self.scanner.expect("(")?;
            for i in 0..*count {
                if i > 0 {
                    self.scanner.expect(",")?;
                }
                self.binary(0)?;
            }
            self.scanner.expect(")")?;
            self.code.push(Op::Call(*function));
            return Ok(());
        }
        if let Some(p) = self.names.parameters.iter().position(|p| *p == name) {
            self.code.push(Op::Parameter(p));
        } else if let Some(value) = self.names.constants.get(name) {
            self.code.push(Op::Number(*value));
        } else {
            let mut known = self.names.parameters.to_vec();
            known.extend(self.names.constants.keys().map(String::as_str));
            return Err(wrong_at(at, unknown("name", name, &known)));
        }
        Ok(())
    }
}

/// Says that a name is not known, with the nearest one that is.
pub(super) fn unknown(kind: &str, found: &str, known: &[&str]) -> String {
    let near = known
        .iter()
        .min_by_key(|k| strsim::damerau_levenshtein(found, k));
    match near {
        None => format!("unknown {kind} `{found}`; expected a number, none has a name here"),
        Some(near) => {
            let known = known.join(", ");
            format!("unknown {kind} `{found}`, did you mean `{near}`? Expected one of: {known}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<f64, Wrong> {
        let constants = BTreeMap::from([("r".to_string(), 0.5)]);
        let names = Names {
            constants: &constants,
            parameters: &["l", "w"],
        };
        // Indented: the first column starts a statement.
        let text = format!(" {text}");
        let mut scanner = Scanner::new(&text);
        let expression = Expression::parse(&mut scanner, &names)?;
        assert!(scanner.peek().is_none(), "something is left of {text}");
        Ok(expression.value(&[2.0, 3.0], &mut Machine::new(Rng::new(1, 0))))
    }

    #[test]
    fn operators_bind_as_in_mathematics() {
        for (text, expected) in [
            ("1+2*3", 7.0),
            ("(1+2)*3", 9.0),
            ("2^3^2", 512.0),
            ("-2^2", -4.0),
            ("2^-1", 0.5),
            ("7-2-1", 4.0),
            ("8/4/2", 1.0),
            ("7%4", 3.0),
            ("l*w+r", 6.5),
            ("1e-3 * 2E3", 2.0),
            (".5", 0.5),
            ("1 < 2 and not 2 < 1", 1.0),
            ("not 0", 1.0),
            ("1 > 2 or 3 != 3", 0.0),
            ("l >= 2 and w <= 3 and l == 2", 1.0),
            ("sqrt(16) + abs(-1) + floor(1.9) + round(2.5)", 9.0),
            ("min(1,2) + max(1,2)", 3.0),
            ("exp(0) + log(1)", 1.0),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
        for (text, expected) in [("sin(30)", 0.5), ("cos(60)", 0.5), ("tan(45)", 1.0)] {
            assert!((value(text).unwrap() - expected).abs() < 1e-15, "{text}");
        }
        let random = value("random(2, 4)").unwrap();
        assert!((2.0..4.0).contains(&random));
    }

    #[test]
    fn errors_show_the_column_and_what_was_expected() {
        for (text, column, expected) in [
            ("1 + ", 4, "a number, a name or `(`"),
            ("(1 + 2", 7, "`)`"),
            ("min(1)", 6, "`,`"),
            ("lenght", 1, "did you mean"),
            ("sqr(2)", 1, "did you mean `sqrt`?"),
            ("1e999", 1, "a finite number"),
            ("2 * ?", 5, "found `?`"),
        ] {
            let (at, what) = value(text).unwrap_err();
            // One more for the blank in front.
            assert_eq!(at.unwrap().column, column + 1, "{text}: {what}");
            assert!(what.contains(expected), "{text}: {what}");
        }
    }

    #[test]
    fn deep_nesting_is_an_error_not_a_crash() {
        for deep in [
            "(".repeat(100_000),
            "-".repeat(100_000),
            "2^".repeat(100_000),
        ] {
            let (_, what) = value(&format!("{deep}1")).unwrap_err();
            assert!(what.contains("nests deeper"), "{what}");
        }
    }
}
