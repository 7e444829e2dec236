//! Snow on a tree, in the file: a second mesh over what faces up, which rises out of bark and leaves where snow lies.
//!
//! glTF cannot change colours in time, but it can move vertices before the skin does: every vertex of the snow has its place just below the surface, and a morph target for each of a
//! few moments with its place then. Their weights go from one moment to the next. Which parts are white is what pictures show ([`snow_cover`](treesway_skin::snow_cover), `frame.wgsl`); how
//! thick it lies there is what fresh snow of that load has.

use super::document::{Document, Kind};
use super::material::Materials;
use super::mesh::{Paint, Surface, Vertex};
use super::rig::Rig;
use super::tree::add_channel;
use super::{Clip, GlbError, GlbTree};
use gltf::json::animation::Property;
use gltf::json::buffer::Target;
use gltf::json::mesh::{Mesh, Mode, MorphTarget, Primitive, Semantic};
use gltf::json::scene::Node;
use gltf::json::validation::Checked;
use gltf::json::{Animation, Index};
use treesway::glam::Vec3;

/// Moments between which snow is interpolated, evenly spaced: as many morph targets as every viewer has to know.
const MOST_KEYS: usize = 8;

/// How far below a surface snow waits, m.
const HIDDEN: f32 = 5e-4;

/// Of fresh snow, kg/m³.
const DENSITY: f32 = 100.0;

/// kg/m² that make a surface white but for 1/e; as [`treesway_skin::snow_cover`] has it.
const WHITENS: f32 = 0.4;

/// Cover that a byte cannot tell from more.
const MOST_COVER: f32 = 0.995;

/// Least share of a vertex that is worth a triangle.
const SEEN: f32 = 0.02;

/// What lies on one surface of a tree.
pub(super) struct Layer {
    paint: Paint,
    /// Which surface of the tree.
    over: usize,
    /// Which of its vertices each of these lies on.
    on: Vec<u32>,
    /// Without snow.
    vertices: Vec<Vertex>,
    triangles: Vec<[u32; 3]>,
    /// Ways of the vertices at each moment with snow, m.
    ways: Vec<Vec<[f32; 3]>>,
}

/// Snow of a tree over a clip.
pub(super) struct Snow {
    layers: Vec<Layer>,
    /// Frames between which it is interpolated.
    frames: Vec<usize>,
    /// Which of `frames` have snow, each a morph target.
    targets: Vec<usize>,
}

impl Snow {
    /// What lies on surfaces in the pose that they are bound in; none where no snow fell.
    pub(super) fn on(surfaces: &[Surface], clip: &Clip) -> Option<Self> {
        let last = clip.frames().checked_sub(1)?;
        let count = MOST_KEYS.min(last + 1);
        let frames = (0..count).map(|k| (last * k).checked_div(count - 1).unwrap_or(0));
        let frames: Vec<usize> = frames.collect();
        let targets: Vec<usize> = (0..count).filter(|&k| clip.has_snow(frames[k])).collect();
        let moments: Vec<usize> = targets.iter().map(|&k| frames[k]).collect();
        let surfaces = surfaces.iter().enumerate();
        let layers = surfaces.filter_map(|(i, s)| Layer::on(i, s, clip, &moments));
        let layers: Vec<Layer> = layers.collect();
        (!layers.is_empty()).then_some(Self {
            layers,
            frames,
            targets,
        })
    }

    pub(super) fn vertices(&self) -> usize {
        self.layers.iter().map(|l| l.vertices.len()).sum()
    }

    pub(super) fn triangles(&self) -> usize {
        self.layers.iter().map(|l| l.triangles.len()).sum()
    }

    /// Writes it as a node beside `body`, the node of the tree's mesh, with the same skin, and how it grows into `animation`. Returns what stands in the scene.
    #[allow(clippy::too_many_arguments, reason = "what a file is written from")]
    pub(super) fn write(
        &self,
        document: &mut Document,
        materials: &mut Materials,
        tree: &GlbTree,
        rig: &Rig,
        body: Index<Node>,
        clip: &Clip,
        texture_size: u32,
        animation: &mut Animation,
    ) -> Result<Index<Node>, GlbError> {
        let mut primitives = Vec::with_capacity(self.layers.len());
        for layer in &self.layers {
            let material = materials.of(document, tree.look, layer.paint, texture_size)?;
            primitives.push(Primitive {
                material: Some(material),
                ..layer.primitive(document, rig)
            });
        }
        // Where nothing plays, what lies at the end.
        let mut weights = vec![0.0; self.targets.len()];
        *weights.last_mut().expect("a layer has a moment") = 1.0;
        let name = format!("{} snow", tree.name);
        let mesh = document.root.push(Mesh {
            name: Some(name.clone()),
            primitives,
            weights: Some(weights),
            extensions: None,
            extras: None,
        });
        let node = document.root.push(Node {
            name: Some(name),
            mesh: Some(mesh),
            skin: document.root.nodes[body.value()].skin,
            ..Node::default()
        });
        self.grow(document, clip, node, animation);
        Ok(node)
    }

    /// Every moment has its own target, none where no snow lies yet.
    fn grow(
        &self,
        document: &mut Document,
        clip: &Clip,
        node: Index<Node>,
        animation: &mut Animation,
    ) {
        if self.frames.len() < 2 {
            return;
        }
        let seconds = |&frame: &usize| [(frame as f64 * clip.frame_secs()) as f32];
        let times: Vec<[f32; 1]> = self.frames.iter().map(seconds).collect();
        let times = document.bounded(&times, Kind::SCALAR, None);
        let keys = 0..self.frames.len();
        let weights = keys.flat_map(|key| {
            let own = move |&target: &usize| if target == key { 1.0_f32 } else { 0.0 };
            self.targets.iter().map(own)
        });
        let weights: Vec<f32> = weights.collect();
        let output = document.array(&weights, Kind::SCALAR, None);
        add_channel(animation, node, Property::MorphTargetWeights, times, output);
    }
}

impl Layer {
    fn on(over: usize, surface: &Surface, clip: &Clip, moments: &[usize]) -> Option<Self> {
        let leaf = surface.paint == Paint::Leaf;
        let share = |v: &Vertex, moment: usize| {
            let [a, b] = v.bodies.map(|body| clip.snow(moment, body));
            lying(a + (b - a) * v.weight, facing_up(v.normal, leaf))
        };
        let vertices = &surface.vertices;
        let most = |v: &Vertex| {
            let all = moments.iter().map(|&m| share(v, m).0);
            all.fold(0.0, f32::max)
        };
        let seen: Vec<bool> = vertices.iter().map(|v| most(v) > SEEN).collect();
        let mut number = vec![u32::MAX; vertices.len()];
        let (mut on, mut triangles) = (Vec::new(), Vec::new());
        for &triangle in &surface.triangles {
            if !triangle.iter().any(|&v| seen[v as usize]) {
                continue;
            }
            let [a, b, c] = triangle.map(|v| vertices[v as usize].position);
            let below = (b - a).cross(c - a).y < 0.0;
            let triangle = triangle.map(|v| {
                let known = &mut number[v as usize];
                if *known == u32::MAX {
                    *known = on.len() as u32;
                    on.push(v);
                }
                *known
            });
            let [a, b, c] = triangle;
            // A leaf's snow is seen from above alone.
            triangles.push(if leaf && below { [a, c, b] } else { triangle });
        }
        if triangles.is_empty() {
            return None;
        }
        let source = |&v: &u32| &vertices[v as usize];
        let ways = moments.iter().map(|&moment| {
            let way = |v: &Vertex| {
                let (share, thick) = share(v, moment);
                (rising(v.normal, leaf) * ((HIDDEN + thick) * share)).to_array()
            };
            on.iter().map(source).map(way).collect()
        });
        let ways = ways.collect();
        let lowered = on.iter().map(source).map(|v| {
            let out = rising(v.normal, leaf);
            let [r, g, b, a] = v.tint;
            let grey = r.max(g).max(b);
            Vertex {
                position: v.position - out * HIDDEN,
                normal: out,
                tint: [grey, grey, grey, a],
                ..*v
            }
        });
        Some(Self {
            paint: if leaf { Paint::SnowOnLeaf } else { Paint::Snow },
            over,
            vertices: lowered.collect(),
            on,
            triangles,
            ways,
        })
    }

    /// Without its material.
    fn primitive(&self, document: &mut Document, rig: &Rig) -> Primitive {
        const VERTICES: Option<Target> = Some(Target::ArrayBuffer);
        let v = &self.vertices;
        let positions: Vec<_> = v.iter().map(|v| v.position.to_array()).collect();
        let normals: Vec<_> = v.iter().map(|v| v.normal.to_array()).collect();
        let uvs: Vec<_> = v.iter().map(|v| v.uv).collect();
        let tints: Vec<_> = v.iter().map(|v| v.tint).collect();
        let binding = |&v: &u32| &rig.bindings[self.over][v as usize];
        let joints: Vec<_> = self.on.iter().map(|v| binding(v).joints).collect();
        let weights: Vec<_> = self.on.iter().map(|v| binding(v).weights).collect();
        let d = document;
        let mut attributes = vec![
            (
                Semantic::Positions,
                d.bounded(&positions, Kind::VEC3, VERTICES),
            ),
            (Semantic::Normals, d.array(&normals, Kind::VEC3, VERTICES)),
            (Semantic::Colors(0), d.array(&tints, Kind::TINT, VERTICES)),
            (
                Semantic::Joints(0),
                d.array(&joints, Kind::JOINTS, VERTICES),
            ),
            (
                Semantic::Weights(0),
                d.array(&weights, Kind::WEIGHTS, VERTICES),
            ),
        ];
        if self.paint == Paint::SnowOnLeaf {
            attributes.push((Semantic::TexCoords(0), d.array(&uvs, Kind::VEC2, VERTICES)));
        }
        let attributes = attributes.into_iter();
        let attributes = attributes.map(|(semantic, array)| (Checked::Valid(semantic), array));
        let targets = self.ways.iter().map(|ways| MorphTarget {
            positions: Some(d.bounded(ways, Kind::VEC3, VERTICES)),
            normals: None,
            tangents: None,
        });
        let targets = targets.collect();
        let corners = self.triangles.as_flattened();
        Primitive {
            attributes: attributes.collect(),
            indices: Some(d.array(corners, Kind::INDEX, Some(Target::ElementArrayBuffer))),
            material: None,
            mode: Checked::Valid(Mode::Triangles),
            targets: Some(targets),
            extensions: None,
            extras: None,
        }
    }
}

/// How much of a surface lies under snow of that cover, 0 to 1, as `snowed` of `frame.wgsl`, and how thick it is there, m.
fn lying(cover: f32, up: f32) -> (f32, f32) {
    let edge = 0.9 - 0.85 * cover;
    let x = ((up - (edge - 0.25)) / 0.4).clamp(0.0, 1.0);
    let share = if cover > 0.0 {
        x * x * (3.0 - 2.0 * x)
    } else {
        0.0
    };
    let load = -WHITENS * (1.0 - cover.min(MOST_COVER)).ln();
    (share, load / DENSITY)
}

/// Of a leaf both sides count, and one that is not level has its share, too.
fn facing_up(normal: Vec3, leaf: bool) -> f32 {
    if leaf {
        0.5 + 0.5 * normal.y.abs()
    } else {
        normal.y
    }
}

/// Where snow grows to.
fn rising(normal: Vec3, leaf: bool) -> Vec3 {
    if leaf {
        Vec3::Y
    } else {
        (normal + 0.5 * Vec3::Y).normalize_or(Vec3::Y)
    }
}
