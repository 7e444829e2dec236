//! Bodies coloured by what they are or do.
//!
//! The colours go from dark violet over teal to yellow, evenly in lightness and hue of Oklab (Ottosson 2020), so that equal steps look equal and
//! the order survives in grey.

use core::f32::consts::PI;
use treesway::{Body, BodyId, BodyKind, Tree};

/// What a colour stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourBy {
    /// Of the joint against bending, N·m/rad, by its logarithm; of wood.
    Stiffness,
    /// At the joint, m, by its logarithm; of wood.
    Radius,
    /// Bending stress at the surface of the joint, Pa, by its square root; of wood.
    Stress,
    /// Forks between a body's branch and the trunk.
    BranchOrder,
    /// Of the centre of mass, m/s, by its square root.
    Speed,
}

impl ColourBy {
    /// Whether only wood has it; nothing else is drawn then, which would hide the wood that is meant.
    pub fn is_of_wood(self) -> bool {
        matches!(self, Self::Stiffness | Self::Radius | Self::Stress)
    }
}

/// Colours the bodies of one tree, frame after frame.
#[derive(Clone, Debug)]
pub struct Painter {
    by: ColourBy,
    /// Least and greatest value so far: the scale only grows, so that colours do not flicker.
    range: [f32; 2],
    values: Vec<f32>,
    /// Of all bodies the forks between their branch and the trunk, once somebody asked.
    orders: Vec<f32>,
    /// Values again, in another order.
    sorted: Vec<f32>,
    colours: Vec<[u8; 4]>,
}

/// Share of the bodies that bear or move no more than the brightest colour stands for: single twigs bear a hundred times as much as the
/// rest. The square root spreads out what most of them do.
const NOT_EXTREME: f32 = 0.98;

impl Painter {
    /// One that has seen no tree yet.
    pub fn new(by: ColourBy) -> Self {
        Self {
            by,
            range: [f32::INFINITY, f32::NEG_INFINITY],
            values: Vec::new(),
            orders: Vec::new(),
            sorted: Vec::new(),
            colours: Vec::new(),
        }
    }

    /// sRGB colours of bodies ([`crate::TreeOnGpu::seen`]), for [`crate::TreeOnGpu::paint`]; alpha 0 of those that do not have the quantity, which are not
    /// drawn.
    pub fn colours(&mut self, tree: &Tree, seen: &[BodyId]) -> &[[u8; 4]] {
        if self.by == ColourBy::BranchOrder && self.orders.len() != tree.len() {
            self.orders = orders(tree);
        }
        self.values.clear();
        for &id in seen {
            let value = self.value(tree, id);
            self.values.push(value);
        }
        let [least, most] = self.extremes();
        self.range = [self.range[0].min(least), self.range[1].max(most)];
        let [least, most] = self.range;
        let across = (most - least).max(1e-12);
        self.colours.clear();
        self.colours
            .extend(self.values.iter().map(|v| colour((v - least) / across)));
        &self.colours
    }

    /// Least and greatest value of this frame; what only moves or bears starts at nothing and ends at what few exceed.
    fn extremes(&mut self) -> [f32; 2] {
        self.sorted.clear();
        let finite = self.values.iter().copied().filter(|v| v.is_finite());
        self.sorted.extend(finite);
        match self.by {
            ColourBy::Stress | ColourBy::Speed if !self.sorted.is_empty() => {
                let at = ((self.sorted.len() - 1) as f32 * NOT_EXTREME) as usize;
                let (_, &mut most, _) = self.sorted.select_nth_unstable_by(at, f32::total_cmp);
                [0.0, most]
            }
            _ => self
                .sorted
                .iter()
                .fold([f32::INFINITY, f32::NEG_INFINITY], |[least, most], &v| {
                    [least.min(v), most.max(v)]
                }),
        }
    }

    /// Least and greatest value so far, in the unit of what is coloured; of stress and speed what one body in fifty exceeds.
    pub fn range(&self) -> [f32; 2] {
        match self.by {
            ColourBy::Stiffness | ColourBy::Radius => self.range.map(f32::exp),
            ColourBy::Stress | ColourBy::Speed => self.range.map(|root| root * root),
            ColourBy::BranchOrder => self.range,
        }
    }

    /// Not a number of a body that does not have the quantity.
    fn value(&self, tree: &Tree, id: BodyId) -> f32 {
        let body = tree.body(id);
        let wood = body.kind == BodyKind::Segment;
        match self.by {
            by if by.is_of_wood() && !wood => f32::NAN,
            ColourBy::Stiffness => body.stiffness.x.min(body.stiffness.y).ln(),
            ColourBy::Radius => body.radius[0].ln(),
            ColourBy::Stress => stress(&body).sqrt(),
            ColourBy::BranchOrder => self.orders[id.index()],
            ColourBy::Speed => body.velocity.length().sqrt(),
        }
    }
}

/// Forks between the branch of every body and the trunk.
fn orders(tree: &Tree) -> Vec<f32> {
    let mut orders: Vec<f32> = Vec::with_capacity(tree.len());
    for id in tree.ids() {
        // Parents come first.
        orders.push(tree.parent_of(id).map_or(0.0, |parent| {
            let forks = tree.body(parent).branch != tree.body(id).branch;
            orders[parent.index()] + f32::from(u8::from(forks))
        }));
    }
    orders
}

/// Bending stress at the surface of a joint in wood, σ = M r / I with M = K |θ − θ₀| across the axis and I = π r⁴ / 4, Pa.
fn stress(body: &Body) -> f32 {
    let moment = (body.stiffness * (body.theta - body.rest_theta))
        .truncate()
        .length();
    let r = body.radius[0];
    4.0 * moment / (PI * r * r * r)
}

/// Colour of a value from 0 to 1, sRGB; none of what is not a number.
fn colour(value: f32) -> [u8; 4] {
    if value.is_nan() {
        return [0; 4];
    }
    let t = value.clamp(0.0, 1.0);
    let lightness = 0.30 + 0.60 * t;
    let hue = (305.0 - 200.0 * t).to_radians();
    let chroma = 0.115 + 0.035 * t;
    let [r, g, b] = linear_of_oklab(lightness, chroma * hue.cos(), chroma * hue.sin());
    [byte(r), byte(g), byte(b), 255]
}

fn linear_of_oklab(lightness: f32, a: f32, b: f32) -> [f32; 3] {
    let l = (lightness + 0.396_337_8 * a + 0.215_803_76 * b).powi(3);
    let m = (lightness - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
    let s = (lightness - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
    [
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_38 * s,
        -0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s,
    ]
}

fn byte(linear: f32) -> u8 {
    let c = linear.clamp(0.0, 1.0);
    let encoded = if c <= 0.003_130_8 {
        12.92 * c
    } else {
        1.055 * c.powf(1.0 / 2.4) - 0.055
    };
    (encoded * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_lighter() {
        let grey = |v: f32| {
            let [r, g, b, _] = colour(v).map(f32::from);
            0.2126 * r.powf(2.2) + 0.7152 * g.powf(2.2) + 0.0722 * b.powf(2.2)
        };
        for i in 0..20 {
            assert!(grey((i + 1) as f32 / 20.0) > grey(i as f32 / 20.0), "{i}");
        }
    }
}
