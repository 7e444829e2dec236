//! A skeleton as a drawing: front view and top view side by side, to scale, for people who judge a tree by its shape.
//!
//! Branches are outlines as wide as their wood, leaves and fruit lie before or behind it as they do in the tree. One SVG
//! path per layer keeps files small; of very many leaves, twigs or fruit only an even share is drawn, and the drawing says so.

use std::fmt::Write as _;
use std::io::{self, Write};
use treesway::glam::{Vec2, Vec3};
use treesway::{Branch, Fruit, Leaf, Skeleton};

/// How a skeleton is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct SvgOptions {
    /// Under the drawing (default: empty).
    pub title: String,
    /// Height of each view, pixels (default: 900).
    pub height: f32,
    /// Whether leaves and fruit are drawn (default: true).
    pub foliage: bool,
    /// Colour of wood, as CSS writes it (default: `#5a4636`).
    pub wood_colour: String,
    /// Colour of leaves or petals (default: `#5b8c3a`).
    pub leaf_colour: String,
    /// Colour of fruit (default: `#c0392b`).
    pub fruit_colour: String,
    /// Most leaves, and most branches, that are drawn (default: 30000).
    pub most_shapes: usize,
}

impl Default for SvgOptions {
    fn default() -> Self {
        Self {
            title: String::new(),
            height: 900.0,
            foliage: true,
            wood_colour: "#5a4636".into(),
            leaf_colour: "#5b8c3a".into(),
            fruit_colour: "#c0392b".into(),
            most_shapes: 30_000,
        }
    }
}

const MARGIN: f32 = 50.0;

/// Writes the drawing.
pub fn write_svg(
    skeleton: &Skeleton,
    options: &SvgOptions,
    mut to: impl Write,
) -> Result<(), io::Error> {
    let bounds = Bounds::of(skeleton);
    let size = (bounds.most - bounds.least).max(Vec3::splat(1e-3));
    // Both views at one scale: the front is as high as wanted, unless the tree is far wider than high.
    let scale = (options.height / size.y.max(size.z)).min(1.6 * options.height / size.x);
    let views = [
        View {
            across: Vec3::X,
            up: Vec3::Y,
            towards: Vec3::Z,
            corner: Vec2::splat(MARGIN),
            least: Vec2::new(bounds.least.x, bounds.most.y),
            middle: 0.5 * (bounds.least.z + bounds.most.z),
            scale,
        },
        View {
            across: Vec3::X,
            up: Vec3::NEG_Z,
            towards: Vec3::Y,
            corner: Vec2::new(2.0 * MARGIN + size.x * scale, MARGIN),
            least: Vec2::new(bounds.least.x, -bounds.least.z),
            middle: 0.6 * bounds.most.y + 0.4 * bounds.least.y,
            scale,
        },
    ];
    let width = 3.0 * MARGIN + 2.0 * size.x * scale;
    let height = 2.0 * MARGIN + size.y.max(size.z) * scale + 20.0;
    writeln!(
        to,
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}" font-family="sans-serif" font-size="13" fill="#555">
<rect width="100%" height="100%" fill="#fbfaf6"/>"##
    )?;
    grid(&mut to, &views[0], &bounds, size)?;
    for view in &views {
        view.draw(skeleton, options, &mut to)?;
    }
    let y = height - 14.0;
    let caption = caption(skeleton, &bounds, options);
    writeln!(
        to,
        r#"<text x="{MARGIN}" y="{y:.0}">{caption}</text>
<text x="{:.0}" y="{:.0}">front</text><text x="{:.0}" y="{:.0}">top</text>
</svg>"#,
        views[0].corner.x,
        MARGIN - 20.0,
        views[1].corner.x,
        MARGIN - 20.0
    )
}

/// Box around everything, m.
struct Bounds {
    least: Vec3,
    most: Vec3,
}

impl Bounds {
    fn of(skeleton: &Skeleton) -> Self {
        let wood = skeleton.branches.iter().flat_map(|b| &b.nodes);
        let wood = wood.flat_map(|n| [n.position - n.radius, n.position + n.radius]);
        let leaves = skeleton.leaves.iter();
        let leaves =
            leaves.flat_map(|l| [l.position, l.position + l.rotation * Vec3::Z * l.length]);
        let fruit = skeleton.fruit.iter().map(centre);
        let mut bounds = Self {
            least: Vec3::splat(f32::INFINITY),
            most: Vec3::splat(f32::NEG_INFINITY),
        };
        for point in wood.chain(leaves).chain(fruit).filter(|p| p.is_finite()) {
            bounds.least = bounds.least.min(point);
            bounds.most = bounds.most.max(point);
        }
        if bounds.least.x > bounds.most.x {
            (bounds.least, bounds.most) = (Vec3::ZERO, Vec3::ONE);
        }
        bounds.least.y = bounds.least.y.min(0.0);
        bounds
    }
}

/// Middle of a fruit in the world, m.
fn centre(fruit: &Fruit) -> Vec3 {
    fruit.position + fruit.rotation * Vec3::Z * (fruit.stem_length + fruit.radius)
}

fn caption(skeleton: &Skeleton, bounds: &Bounds, options: &SvgOptions) -> String {
    let size = bounds.most - bounds.least;
    let mut text = format!(
        "{} {} branches, {} leaves, {} fruit; {:.1} m high, {:.1} × {:.1} m wide",
        escaped(&options.title),
        skeleton.branches.len(),
        skeleton.leaves.len(),
        skeleton.fruit.len(),
        bounds.most.y,
        size.x,
        size.z
    );
    let drawn = every(skeleton.leaves.len(), options.most_shapes);
    if drawn > 1 {
        let _ = write!(text, "; one leaf in {drawn} is drawn");
    }
    text.trim_start().into()
}

/// Text that may stand in XML.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('"', "&quot;")
}

/// One of how many is drawn.
fn every(count: usize, most: usize) -> usize {
    count.div_ceil(most.max(1)).max(1)
}

/// Heights every so many metres, and a bar as long.
fn grid(to: &mut impl Write, front: &View, bounds: &Bounds, size: Vec3) -> io::Result<()> {
    let step = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];
    let step = step
        .into_iter()
        .find(|s| size.y / s <= 12.0)
        .unwrap_or(1000.0);
    let right = front.corner.x + size.x * front.scale;
    let mut lines = String::new();
    for i in 0..=12 {
        let metres = step * i as f32;
        if metres > bounds.most.y + 0.3 * step {
            break;
        }
        let y = front.project(Vec3::new(0.0, metres, 0.0)).y;
        let ink = if i == 0 { "#8a7a60" } else { "#dedbd0" };
        let _ = writeln!(
            lines,
            r#"<path d="M{:.1} {y:.1}H{right:.1}" stroke="{ink}"/><text x="6" y="{:.1}">{metres} m</text>"#,
            front.corner.x,
            y + 4.0
        );
    }
    to.write_all(lines.as_bytes())
}

/// A parallel projection onto the page.
struct View {
    /// Along the page, up the page, out of the page.
    across: Vec3,
    up: Vec3,
    towards: Vec3,
    /// Upper left corner on the page, pixels.
    corner: Vec2,
    /// What lies in that corner: along `across` and `up`, m.
    least: Vec2,
    /// What lies further towards the eye is drawn before the wood, m.
    middle: f32,
    /// Pixels per metre.
    scale: f32,
}

impl View {
    fn project(&self, p: Vec3) -> Vec2 {
        let flat = Vec2::new(
            p.dot(self.across) - self.least.x,
            self.least.y - p.dot(self.up),
        );
        self.corner + flat * self.scale
    }

    fn draw(
        &self,
        skeleton: &Skeleton,
        options: &SvgOptions,
        to: &mut impl Write,
    ) -> io::Result<()> {
        let mut layers = [String::new(), String::new(), String::new()];
        if options.foliage {
            let step = every(skeleton.leaves.len(), options.most_shapes);
            for leaf in skeleton.leaves.iter().step_by(step) {
                let front = leaf.position.dot(self.towards) > self.middle;
                self.leaf(leaf, &mut layers[usize::from(front)]);
            }
            let step = every(skeleton.fruit.len(), options.most_shapes);
            for fruit in skeleton.fruit.iter().step_by(step) {
                self.disc(centre(fruit), fruit.radius, &mut layers[2]);
            }
        }
        let [behind, before, fruit] = layers;
        self.layer(to, &behind, &options.leaf_colour, 0.45)?;
        let mut wood = String::new();
        let step = every(skeleton.branches.len(), options.most_shapes);
        for (i, branch) in skeleton.branches.iter().enumerate() {
            // Of very many, the thin ones are thinned out.
            let thick = branch
                .nodes
                .first()
                .is_some_and(|n| n.radius * self.scale > 0.5);
            if thick || i % step == 0 {
                self.branch(branch, &mut wood);
            }
        }
        self.layer(to, &wood, &options.wood_colour, 1.0)?;
        self.layer(to, &before, &options.leaf_colour, 0.6)?;
        self.layer(to, &fruit, &options.fruit_colour, 0.95)
    }

    fn layer(&self, to: &mut impl Write, path: &str, colour: &str, opacity: f32) -> io::Result<()> {
        // Some programs read no attribute of ten million letters.
        let colour = escaped(colour);
        let mut rest = path;
        while !rest.is_empty() {
            let end = rest[rest.len().min(1 << 20)..].find('Z');
            let end = end.map_or(rest.len(), |z| rest.len().min(1 << 20) + z + 1);
            let (piece, after) = rest.split_at(end);
            writeln!(
                to,
                r#"<path fill="{colour}" fill-opacity="{opacity}" d="{piece}"/>"#
            )?;
            rest = after;
        }
        Ok(())
    }

    /// The outline of a branch: up its left side, down its right side, with a round base.
    fn branch(&self, branch: &Branch, path: &mut String) {
        let points: Vec<Vec2> = branch
            .nodes
            .iter()
            .map(|n| self.project(n.position))
            .collect();
        let Some(last) = points.len().checked_sub(1) else {
            return;
        };
        let mut sides: Vec<[Vec2; 2]> = Vec::with_capacity(points.len());
        for (i, (point, node)) in points.iter().zip(&branch.nodes).enumerate() {
            let along =
                (points[(i + 1).min(last)] - points[i.saturating_sub(1)]).normalize_or_zero();
            // No line is thinner than a third of a pixel: twigs would vanish.
            let wide = (node.radius * self.scale).max(0.17);
            let out = along.perp() * wide;
            sides.push([*point + out, *point - out]);
        }
        let base = branch.nodes.first().filter(|n| n.radius * self.scale > 0.7);
        // Where a branch leaves its parent; a trunk stands flat on the ground.
        if let Some(base) = base.filter(|_| branch.parent.is_some() || self.up != Vec3::Y) {
            self.disc(base.position, base.radius, path);
        }
        let left = sides.iter().map(|s| s[0]);
        polygon(left.chain(sides.iter().rev().map(|s| s[1])), path);
    }

    fn leaf(&self, leaf: &Leaf, path: &mut String) {
        let at = |x: f32, z: f32| {
            let local = Vec3::new(x * leaf.width, 0.0, z * leaf.length);
            self.project(leaf.position + leaf.rotation * local)
        };
        polygon(
            [at(0.0, 0.0), at(0.5, 0.45), at(0.0, 1.0), at(-0.5, 0.45)],
            path,
        );
    }

    fn disc(&self, middle: Vec3, radius: f32, path: &mut String) {
        let (p, r) = (self.project(middle), radius * self.scale);
        let _ = write!(
            path,
            "M{:.1} {:.1}a{r:.1} {r:.1} 0 1 0 {:.1} 0a{r:.1} {r:.1} 0 1 0 {:.1} 0Z",
            p.x - r,
            p.y,
            2.0 * r,
            -2.0 * r
        );
    }
}

fn polygon(points: impl IntoIterator<Item = Vec2>, path: &mut String) {
    for (i, p) in points.into_iter().enumerate() {
        let _ = write!(
            path,
            "{}{:.1} {:.1}",
            if i == 0 { 'M' } else { 'L' },
            p.x,
            p.y
        );
    }
    path.push('Z');
}
