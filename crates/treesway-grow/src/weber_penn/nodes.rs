//! A stem as nodes of a skeleton.

use super::stem::{Axis, Stem};
use treesway::Node;
use treesway::glam::DVec3;

impl Stem<'_> {
    /// Nodes of a line, with more of them where the radius does not run straight between segments: flare, round ends, spheres.
    pub(crate) fn nodes(&self, axis: &Axis) -> Vec<Node> {
        let step = self.step();
        let mut cuts: Vec<f64> = Vec::new();
        if self.level == 0 && self.tree.flare != 0.0 {
            cuts.extend([1.0 / 64.0, 1.0 / 32.0, 1.0 / 16.0, 0.125].map(|z| z * self.length));
        }
        let taper = f64::from(self.tree.level(self.level).taper);
        if taper > 1.0 {
            let end = self.radius.min(0.25 * self.length);
            cuts.extend([1.0, 0.6, 0.3, 0.1].map(|r| self.length - r * end));
        }
        if taper > 2.0 {
            // Between two joints of spheres four nodes, as long as that stays below a hundred.
            let half = self.radius.max(self.length / 100.0);
            let count = (self.length / half) as usize;
            cuts.extend((1..count * 2).map(|i| self.length - 0.5 * half * i as f64));
        }
        cuts.retain(|&c| c > 1e-6 * self.length && c < self.length * (1.0 - 1e-6));
        cuts.sort_by(f64::total_cmp);
        cuts.dedup_by(|b, a| *b - *a < 1e-3 * self.length);
        let mut nodes = Vec::with_capacity(axis.points.len());
        for (i, pair) in axis.points.windows(2).enumerate() {
            let start = (axis.first + i) as f64 * step;
            nodes.push(self.node(pair[0], start));
            let inner = |c: &&f64| **c > start + 0.02 * step && **c < start + 0.98 * step;
            for cut in cuts.iter().filter(inner) {
                nodes.push(self.node(pair[0] + (pair[1] - pair[0]) * ((cut - start) / step), *cut));
            }
        }
        nodes.push(self.node(axis.points[axis.points.len() - 1], self.length));
        nodes
    }

    fn node(&self, position: DVec3, along: f64) -> Node {
        Node {
            position: position.as_vec3(),
            radius: self.radius_at(along) as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::weber_penn::Level;
    use crate::weber_penn::frame::Frame;
    use crate::weber_penn::stem::trial::{stem, tree};
    use treesway::math::Rng;

    #[test]
    fn nodes_follow_the_taper_and_the_flare() {
        let mut tree = tree(Level {
            curve_res: 4,
            ..Level::default()
        });
        tree.flare = 1.0;
        let trunk = stem(&tree, 0, Frame::UPRIGHT);
        let axes = trunk.grow(&mut Rng::new(0, 0)).unwrap();
        let nodes = trunk.nodes(&axes[0]);
        assert!((nodes[0].radius - 0.199).abs() < 1e-6);
        assert!(nodes.len() > 6, "the flare has nodes of its own");
        assert_eq!(nodes[nodes.len() - 1].radius, tree.least_radius);
        for node in &nodes {
            assert!(
                (f64::from(node.radius) - trunk.radius_at(node.position.y.into())).abs() < 1e-6
            );
        }
    }
}
