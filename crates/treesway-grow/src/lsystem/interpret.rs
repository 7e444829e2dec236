//! A turtle follows the derived string of a `.lsys` grammar.

use super::Counts;
use super::derive::{Derived, Limits};
use super::error::{Wrong, wrong};
use super::hierarchy::{Blade, Hanging, Hierarchy, Particle};
use super::parse::{Grammar, Symbol};
use super::settings::Settings;
use super::turtle::Turtle;

/// Farther than this is a mistake, and its squares would not be finite soon.
pub(super) const MOST_DISTANCE: f64 = 1e12;

/// What a letter does; letters that do nothing are placeholders of the grammar.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Command {
    Draw,
    Move,
    Turn(f64),
    Pitch(f64),
    Roll(f64),
    TurnAround,
    Level,
    SetWidth,
    ScaleWidth,
    ScaleStep,
    Tropism,
    Leaf,
    Fruit,
    Push,
    Pop,
    Nothing,
}

impl Command {
    fn of(letter: char) -> Self {
        match letter {
            'F' => Self::Draw,
            'f' => Self::Move,
            '+' => Self::Turn(1.0),
            '-' => Self::Turn(-1.0),
            '&' => Self::Pitch(1.0),
            '^' => Self::Pitch(-1.0),
            '\\' => Self::Roll(1.0),
            '/' => Self::Roll(-1.0),
            '|' => Self::TurnAround,
            '$' => Self::Level,
            '!' => Self::SetWidth,
            '\'' => Self::ScaleWidth,
            '"' => Self::ScaleStep,
            'T' => Self::Tropism,
            '~' => Self::Leaf,
            '@' => Self::Fruit,
            '[' => Self::Push,
            ']' => Self::Pop,
            _ => Self::Nothing,
        }
    }
}

/// What `[` saves.
#[derive(Clone, Copy)]
struct State {
    turtle: Turtle,
    on: Particle,
    width: f64,
    step: f64,
    elasticity: f64,
}

struct Interpreter<'a> {
    settings: &'a Settings,
    limits: &'a Limits,
    state: State,
    stack: Vec<State>,
    hierarchy: Hierarchy,
    counts: Counts,
}

impl Grammar {
    /// Everything the turtle draws along the string, in metres but for the radii.
    pub(super) fn interpret(
        &self,
        string: &Derived,
        limits: &Limits,
    ) -> Result<(Hierarchy, Counts), Wrong> {
        let settings = &self.settings;
        let commands: Vec<Command> = self.symbols.iter().map(|s| Command::of(s.letter)).collect();
        let mut interpreter = Interpreter {
            settings,
            limits,
            state: State {
                turtle: Turtle::upright(),
                on: Particle::ROOT,
                width: settings.width,
                step: settings.step,
                elasticity: settings.elasticity,
            },
            stack: Vec::new(),
            hierarchy: Hierarchy::default(),
            counts: Counts {
                letters: string.symbols.len(),
                ..Counts::default()
            },
        };
        let mut first = 0;
        for (i, &number) in string.symbols.iter().enumerate() {
            let symbol = self.symbols[usize::from(number)];
            let arguments = &string.arguments[first..first + symbol.arguments];
            first += symbol.arguments;
            interpreter
                .obey(commands[usize::from(number)], arguments)
                .map_err(|what| wrong(about(i, symbol, arguments, &what)))?;
        }
        Ok((interpreter.hierarchy, interpreter.counts))
    }
}

/// Names a letter of the derived string.
fn about(i: usize, symbol: Symbol, arguments: &[f64], what: &str) -> String {
    let list: Vec<String> = arguments.iter().map(f64::to_string).collect();
    let list = if list.is_empty() {
        String::new()
    } else {
        format!("({})", list.join(", "))
    };
    let number = i + 1;
    format!(
        "letter {number} of the derived string, `{}{list}`: {what}",
        symbol.letter
    )
}

impl Interpreter<'_> {
    fn obey(&mut self, command: Command, arguments: &[f64]) -> Result<(), String> {
        let first = arguments.first().copied();
        let angle = || first.unwrap_or(self.settings.angle_deg).to_radians();
        let state = &mut self.state;
        match command {
            Command::Nothing => (),
            Command::Turn(sign) => state.turtle.turn(sign * angle()),
            Command::Pitch(sign) => state.turtle.pitch(sign * angle()),
            Command::Roll(sign) => state.turtle.roll(sign * angle()),
            Command::TurnAround => state.turtle.turn(core::f64::consts::PI),
            Command::Level => state.turtle.level(),
            Command::Draw => return self.draw(first),
            Command::Move => return self.forward(first).map(drop),
            Command::SetWidth => state.width = size(first.unwrap_or(self.settings.width), "width")?,
            Command::ScaleWidth => {
                state.width = size(state.width * first.unwrap_or(self.settings.taper), "width")?;
            }
            Command::ScaleStep => {
                state.step = size(state.step * first.unwrap_or(self.settings.taper), "step")?;
            }
            Command::Tropism => state.elasticity = first.unwrap_or(self.settings.elasticity),
            Command::Leaf => self.bear_leaf(arguments),
            Command::Fruit => self.hierarchy.bear_fruit(Hanging {
                on: state.on,
                position: state.turtle.position,
                radius: first.unwrap_or(self.settings.fruit_radius),
                stem_length: self.settings.stem_length,
            }),
            Command::Push if self.stack.len() >= self.limits.nesting => {
                let most = self.limits.nesting;
                return Err(format!(
                    "is inside of {most} others; expected no deeper nesting"
                ));
            }
            Command::Push => self.stack.push(self.state),
            // Every string that the parser lets pass is balanced.
            Command::Pop => self.state = self.stack.pop().unwrap_or(self.state),
        }
        Ok(())
    }

    /// Goes ahead and gives the place it came from.
    fn forward(&mut self, length: Option<f64>) -> Result<treesway::glam::DVec3, String> {
        let turtle = &mut self.state.turtle;
        let start = turtle.position;
        turtle.forward(length.unwrap_or(self.state.step));
        if turtle.position.abs().max_element() < MOST_DISTANCE {
            return Ok(start);
        }
        let far = turtle.position;
        Err(format!(
            "leads to {far}; expected a place within {MOST_DISTANCE} m"
        ))
    }

    fn draw(&mut self, length: Option<f64>) -> Result<(), String> {
        let start = self.forward(length)?;
        self.counts.drawn += 1;
        let state = &mut self.state;
        let end = state.turtle.position;
        if end != start {
            let radius = state.width / 2.0;
            let step = (start, end);
            state.on = self
                .hierarchy
                .grow(state.on, step, radius, self.stack.len());
        }
        if state.elasticity != 0.0 {
            state.turtle.bend(self.settings.tropism, state.elasticity);
        }
        Ok(())
    }

    /// A blade ahead of the turtle, upper side where its back is.
    fn bear_leaf(&mut self, arguments: &[f64]) {
        let Settings {
            leaf_length,
            leaf_width,
            ..
        } = *self.settings;
        let length = arguments.first().copied().unwrap_or(leaf_length);
        let aspect = leaf_width / leaf_length;
        let turtle = &self.state.turtle;
        self.counts.polygons += 1;
        self.hierarchy.bear_leaf(Blade {
            on: self.state.on,
            base: turtle.position,
            direction: turtle.heading,
            normal: turtle.up,
            length,
            width: arguments.get(1).copied().unwrap_or(length * aspect),
        });
    }
}

/// A width or step that can be drawn.
fn size(value: f64, name: &str) -> Result<f64, String> {
    if value > 0.0 && value < MOST_DISTANCE {
        return Ok(value);
    }
    Err(format!(
        "makes the {name} {value}; expected a number greater than zero"
    ))
}
