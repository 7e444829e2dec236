//! Derivation: all letters of the string are replaced at once, step by step.
//!
//! Memory and time are bounded whatever the grammar: the string by [`Limits::letters`] and [`Limits::arguments`], the
//! work over all steps by [`Limits::work`].

use super::error::{Wrong, wrong, wrong_at};
use super::expression::Machine;
use super::parse::{Grammar, Letters, Rule};
use treesway::math::Rng;

/// Where growth stops with an error instead of taking all memory or all day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// In the string at any step (default: 10 million).
    pub letters: usize,
    /// Of all letters of the string together (default: 20 million, 160 MB).
    pub arguments: usize,
    /// Letters replaced and operations evaluated in all steps (default: 1000 million, some ten seconds).
    pub work: usize,
    /// Branches open at once, `[` without its `]` (default: 100000).
    pub nesting: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            letters: 10_000_000,
            arguments: 20_000_000,
            work: 1_000_000_000,
            nesting: 100_000,
        }
    }
}

/// A derived string.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Derived {
    /// Numbers of symbols.
    pub(super) symbols: Vec<u16>,
    /// Arguments of all letters in a row.
    pub(super) arguments: Vec<f64>,
}

/// Apart from the streams of the turtle.
const STREAM: u64 = 2 << 40;

impl Grammar {
    /// The string after `depth` steps.
    pub(super) fn derive(&self, depth: u32, seed: u64, limits: &Limits) -> Result<Derived, Wrong> {
        let mut derivation = Derivation {
            grammar: self,
            machine: Machine::new(Rng::new(seed, STREAM)),
            limits,
            work: 0,
            step: 0,
        };
        let mut string = Derived::default();
        derivation.append(&self.axiom, &[], &mut string, None)?;
        let mut next = Derived::default();
        for step in 1..=depth {
            derivation.step = step;
            if !derivation.rewrite(&string, &mut next)? {
                // No letter has a production that applies: further steps change nothing.
                break;
            }
            core::mem::swap(&mut string, &mut next);
        }
        Ok(string)
    }
}

struct Derivation<'a> {
    grammar: &'a Grammar,
    machine: Machine,
    limits: &'a Limits,
    work: usize,
    step: u32,
}

impl<'a> Derivation<'a> {
    /// One step; false if no production was used.
    fn rewrite(&mut self, string: &Derived, next: &mut Derived) -> Result<bool, Wrong> {
        next.symbols.clear();
        next.arguments.clear();
        let (mut used, mut first) = (false, 0);
        for &number in &string.symbols {
            let symbol = usize::from(number);
            let last = first + self.grammar.symbols[symbol].arguments;
            let arguments = &string.arguments[first..last];
            first = last;
            match self.choose(symbol, arguments)? {
                Some(rule) => {
                    used = true;
                    self.append(&rule.successor, arguments, next, Some(rule))?;
                }
                None => {
                    self.spend(1)?;
                    next.symbols.push(number);
                    next.arguments.extend_from_slice(arguments);
                }
            }
            self.check_size(next)?;
        }
        Ok(used)
    }

    /// The production that replaces a letter, if any applies.
    fn choose(&mut self, symbol: usize, arguments: &[f64]) -> Result<Option<&'a Rule>, Wrong> {
        let grammar: &'a Grammar = self.grammar;
        let rules = &grammar.rules[symbol];
        if !rules.weighted {
            for rule in &rules.list {
                if self.applies(rule, arguments)? {
                    return Ok(Some(rule));
                }
            }
            return Ok(None);
        }
        let (mut sum, mut chosen) = (0.0, None);
        // Each in turn replaces the choice with the probability of its share of the weights so far: one pass, one draw each.
        for rule in &rules.list {
            if !self.applies(rule, arguments)? {
                continue;
            }
            let weight = self.weight(rule, arguments)?;
            if weight > 0.0 {
                sum += weight;
                if self.machine.rng.unit() * sum < weight {
                    chosen = Some(rule);
                }
            }
        }
        Ok(chosen)
    }

    fn applies(&mut self, rule: &Rule, arguments: &[f64]) -> Result<bool, Wrong> {
        let Some(condition) = &rule.condition else {
            return Ok(true);
        };
        self.spend(condition.cost())?;
        let value = condition.value(arguments, &mut self.machine);
        if value.is_nan() {
            return Err(self.about(rule, "its condition is NaN; expected true or false"));
        }
        Ok(value != 0.0)
    }

    fn weight(&mut self, rule: &Rule, arguments: &[f64]) -> Result<f64, Wrong> {
        let Some(weight) = &rule.weight else {
            return Ok(1.0);
        };
        self.spend(weight.cost())?;
        let value = weight.value(arguments, &mut self.machine);
        if value.is_finite() && value >= 0.0 {
            return Ok(value);
        }
        let what = format!("its weight is {value}; expected a finite number, not negative");
        Err(self.about(rule, what))
    }

    /// Appends letters with their arguments computed from those of the letter they replace.
    fn append(
        &mut self,
        letters: &Letters,
        arguments: &[f64],
        next: &mut Derived,
        rule: Option<&Rule>,
    ) -> Result<(), Wrong> {
        self.spend(1 + letters.symbols.len())?;
        next.symbols.extend_from_slice(&letters.symbols);
        for expression in &letters.arguments {
            self.spend(expression.cost())?;
            let value = expression.value(arguments, &mut self.machine);
            if !value.is_finite() {
                let what = format!("an argument becomes {value}; expected a finite number");
                return Err(match rule {
                    Some(rule) => self.about(rule, what),
                    None => wrong(format!("axiom: {what}")),
                });
            }
            next.arguments.push(value);
        }
        Ok(())
    }

    fn about(&self, rule: &Rule, what: impl AsRef<str>) -> Wrong {
        let what = format!("in step {} of this production {}", self.step, what.as_ref());
        wrong_at(rule.at, what)
    }

    fn spend(&mut self, work: usize) -> Result<(), Wrong> {
        self.work += work;
        if self.work <= self.limits.work {
            return Ok(());
        }
        Err(wrong(format!(
            "step {} goes beyond {} operations; expected a lower depth, or productions that do less",
            self.step, self.limits.work
        )))
    }

    fn check_size(&self, string: &Derived) -> Result<(), Wrong> {
        let Limits {
            letters, arguments, ..
        } = *self.limits;
        for (count, most, what) in [
            (string.symbols.len(), letters, "letters"),
            (string.arguments.len(), arguments, "arguments"),
        ] {
            if count > most {
                return Err(explosion(self.step, most, what));
            }
        }
        Ok(())
    }
}

/// The string became too long at a step.
pub(super) fn explosion(step: u32, most: usize, what: &str) -> Wrong {
    wrong(format!(
        "the string has more than {most} {what} at depth {step}; expected a depth of {} or less",
        step.saturating_sub(1)
    ))
}
