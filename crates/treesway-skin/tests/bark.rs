//! The bark of every species and grammar: whole, smooth, and closed at forks, at rest and bent.

use std::collections::{BTreeMap, BTreeSet};
use treesway::glam::{Vec2, Vec3};
use treesway::{BodyId, BodyKind, Tree, TreeDesc};
use treesway_grow::{Beam, Fork, Growth, Wanted, grammars, species};
use treesway_skin::{BarkVertex, Detail, Look, Mesh, Skin, skinning};

/// Grammars whose stems stand apart: each has a foot of its own.
const SEVERAL_STEMS: [&str; 4] = ["meadow", "reed", "hair", "fur"];

/// Every plant of one piece there is, small.
fn plants() -> Vec<(String, TreeDesc, Look)> {
    let mut plants = Vec::new();
    let mut add = |name: &str, grown: treesway_grow::Grown, look: Look| {
        let bodies = treesway::cut(&grown.skeleton, &grown.cut).expect("it can be cut");
        plants.push((name.to_owned(), bodies, look));
    };
    for (name, _) in species::ALL {
        let species = species::named(name).expect("it is embedded");
        let wanted = Wanted {
            bodies: Some(1000),
            ..Wanted::default()
        };
        let look = Look::of(&species);
        add(name, species.grow(3, &wanted).expect("it grows"), look);
    }
    let whole = |name: &str| !SEVERAL_STEMS.contains(&name);
    for grammar in grammars::all().iter().filter(|g| whole(g.name)) {
        let growth = Growth {
            depth: None,
            ..Growth::default()
        };
        let grown = grammar.plant().grow(&growth).expect("it grows");
        add(grammar.name, grown, Look::default());
    }
    add(
        "fork",
        Fork::default().grow().expect("it grows"),
        Look::default(),
    );
    add(
        "beam",
        Beam::default().grow().expect("it grows"),
        Look::default(),
    );
    plants
}

/// Every joint turned about a random axis by up to `most` rad.
fn bent(bodies: &TreeDesc, most: f32) -> Tree {
    let mut tree = Tree::build(bodies, Default::default()).expect("it can be built");
    let mut state = 0x2545_f491_u32;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state as f32 / u32::MAX as f32 * 2.0 - 1.0) * most
    };
    for id in tree.ids() {
        let axis = Vec3::new(random(), random(), random()).normalize_or_zero();
        tree.set_joint(id, axis * random(), Vec3::ZERO);
    }
    tree.settle_world();
    tree
}

fn skinned(skin: &Skin, tree: &Tree) -> Vec<skinning::Placed> {
    let mut transforms = Vec::new();
    skin.transforms(tree, &mut transforms);
    let vertices = skin.bark.vertices.iter();
    vertices.map(|v| skinning::bark(v, &transforms)).collect()
}

/// The tubes of a bark mesh: triangles that share a vertex belong together.
struct Tubes {
    /// For each tube, its triangles; of vertices in the same place the first one.
    triangles: Vec<Vec<[u32; 3]>>,
    /// For each tube, edges of only one triangle.
    open: Vec<Vec<[u32; 2]>>,
}

impl Tubes {
    fn of(name: &str, mesh: &Mesh<BarkVertex>) -> Self {
        let mut group: Vec<u32> = (0..mesh.vertices.len() as u32).collect();
        fn root(group: &mut [u32], mut i: u32) -> u32 {
            while group[i as usize] != i {
                group[i as usize] = group[group[i as usize] as usize];
                i = group[i as usize];
            }
            i
        }
        for t in &mesh.triangles {
            for k in 0..2 {
                let (a, b) = (root(&mut group, t[k]), root(&mut group, t[k + 1]));
                group[a.max(b) as usize] = a.min(b);
            }
        }
        // The disc below a trunk has vertices of its own.
        let mut foot = BTreeMap::new();
        for (i, v) in mesh
            .vertices
            .iter()
            .enumerate()
            .filter(|(_, v)| v.bodies[0] == 0 && v.weight == 0.0)
        {
            let first = *foot.entry(v.position.map(f32::to_bits)).or_insert(i as u32);
            let (a, b) = (root(&mut group, first), root(&mut group, i as u32));
            group[a.max(b) as usize] = a.min(b);
        }
        let mut tubes = BTreeMap::<u32, Vec<[u32; 3]>>::new();
        let mut places = BTreeMap::new();
        for t in &mesh.triangles {
            let tube = root(&mut group, t[0]);
            let welded = t.map(|v| {
                let place = mesh.vertices[v as usize].position.map(f32::to_bits);
                *places.entry((tube, place)).or_insert(v)
            });
            tubes.entry(tube).or_default().push(welded);
        }
        let triangles: Vec<Vec<[u32; 3]>> = tubes.into_values().collect();
        let open = triangles.iter().map(|tube| {
            let mut edges = BTreeMap::<[u32; 2], i32>::new();
            for t in tube {
                for k in 0..3 {
                    let (a, b) = (t[k], t[(k + 1) % 3]);
                    let count = edges.entry([a.min(b), a.max(b)]).or_default();
                    // Each edge once in each direction: no edge of three triangles, no two that face apart.
                    let seen = if a < b { 1 } else { 2 };
                    assert_eq!(*count & seen, 0, "{name}: edge {a} {b} twice the same way");
                    *count |= seen;
                }
            }
            let open = edges.into_iter().filter(|&(_, seen)| seen != 3);
            open.map(|(edge, _)| edge).collect()
        });
        Self {
            open: open.collect(),
            triangles,
        }
    }
}

#[test]
fn every_tube_is_closed_but_for_the_ring_in_its_parent() {
    for (name, bodies, look) in plants() {
        let skin = Skin::new(&bodies, &look, &Detail::default());
        let tubes = Tubes::of(&name, &skin.bark);
        let closed = tubes.open.iter().filter(|o| o.is_empty()).count();
        assert_eq!(closed, 1, "{name}: only the trunk has no open end");
        for open in tubes.open.iter().filter(|o| !o.is_empty()) {
            let mut degree = BTreeMap::<u32, u32>::new();
            open.iter()
                .flatten()
                .for_each(|&v| *degree.entry(v).or_default() += 1);
            assert!(degree.values().all(|&d| d == 2), "{name}: one ring is open");
            assert!(open.len() <= 64, "{name}: and not more");
        }
        let segments = bodies.bodies.iter();
        let segments = segments
            .filter(|b| b.shape.kind() == BodyKind::Segment)
            .count();
        assert!(tubes.triangles.len() <= segments);
    }
}

/// Nothing of the bark spans a break, and both ends of it are closed.
#[test]
fn torn_wood_is_closed_on_both_sides_of_a_break() {
    for (name, bodies, look) in plants() {
        let segment = |id: &usize| bodies.bodies[*id].shape.kind() == BodyKind::Segment;
        let wood: Vec<usize> = (1..bodies.bodies.len()).filter(segment).collect();
        let Some(&broken) = wood.get(wood.len() / 3) else {
            continue;
        };
        let mut off = vec![false; bodies.bodies.len()];
        for id in broken..off.len() {
            let parent = bodies.bodies[id].parent;
            off[id] = id == broken || parent.is_some_and(|p| off[p as usize]);
        }
        let mut skin = Skin::new(&bodies, &look, &Detail::default());
        let before = Tubes::of(&name, &skin.bark).open.len();
        skin.tear(&bodies, &look, &Detail::default(), &[BodyId(broken as u32)]);
        for v in &skin.bark.vertices {
            let [a, b] = v.bodies.map(|id| off[id as usize]);
            assert!(a == b || v.weight == 0.0 || v.weight == 1.0, "{name}");
        }
        let tubes = Tubes::of(&name, &skin.bark);
        let closed = tubes.open.iter().filter(|o| o.is_empty()).count();
        assert_eq!(closed, 2, "{name}: the trunk and what broke off");
        // A break within a chain makes two of it, one at a fork does not.
        assert!((before..=before + 1).contains(&tubes.open.len()), "{name}");
        assert!(skin.bark.vertices.iter().any(|v| v.radius < 0.0), "{name}");
    }
}

/// Triangles but those with a corner in a tube's open ring, which are inside of its parent.
fn visible(name: &str, mesh: &Mesh<BarkVertex>) -> Vec<[u32; 3]> {
    let open: BTreeSet<[u32; 3]> = (Tubes::of(name, mesh).open.iter().flatten().flatten())
        .map(|&v| mesh.vertices[v as usize].position.map(f32::to_bits))
        .collect();
    let hidden = |&v: &u32| open.contains(&mesh.vertices[v as usize].position.map(f32::to_bits));
    let all = mesh.triangles.iter().copied();
    all.filter(|t| !t.iter().any(hidden)).collect()
}

#[test]
fn triangles_have_area_and_normals_point_out() {
    for (name, bodies, look) in plants() {
        let skin = Skin::new(&bodies, &look, &Detail::default());
        let placed = skinned(&skin, &bent(&bodies, 0.0));
        let tubes = Tubes::of(&name, &skin.bark);
        let inside = Inside::new(&placed, &tubes.triangles);
        for t in visible(&name, &skin.bark) {
            let corners = t.map(|v| skin.bark.vertices[v as usize]);
            let [a, b, c] = corners.map(|v| Vec3::from(v.position));
            assert!(a.is_finite() && b.is_finite() && c.is_finite(), "{name}");
            let area = (b - a).cross(c - a);
            let longest = (b - a).length().max((c - b).length()).max((a - c).length());
            assert!(
                area.length() > 1e-6 * longest * longest,
                "{name}: {a} {b} {c} is no triangle"
            );
            for v in corners {
                let normal = Vec3::from(v.normal);
                assert!((normal.length() - 1.0).abs() < 1e-3, "{name}: {normal}");
                assert!((0.0..=1.0).contains(&v.openness), "{name}: {}", v.openness);
                // Inside of another tube a collar may fold.
                assert!(
                    normal.dot(area) > 0.0 || inside.any((a + b + c) / 3.0),
                    "{name}: {normal} at {a} {b} {c}"
                );
            }
        }
    }
}

/// What docs/THEORY.md says of every triangle that is seen.
const MOST_STRETCH: f32 = 5.0;

#[test]
fn bark_is_not_stretched() {
    for (name, bodies, look) in plants() {
        let skin = Skin::new(&bodies, &look, &Detail::default());
        let placed = skinned(&skin, &bent(&bodies, 0.0));
        let tubes = Tubes::of(&name, &skin.bark);
        let inside = Inside::new(&placed, &tubes.triangles);
        let triangles = visible(&name, &skin.bark).into_iter().map(|t| {
            let corners = t.map(|v| skin.bark.vertices[v as usize]);
            (stretch(&corners), corners.map(|v| Vec3::from(v.position)))
        });
        // A collar that goes on inside of its parent is not seen; finding that out takes a while.
        let seen = |&(stretch, [a, b, c]): &(f32, [Vec3; 3])| {
            stretch < MOST_STRETCH || !inside.any((a + b + c) / 3.0)
        };
        let mut stretches: Vec<f32> = triangles.filter(seen).map(|t| t.0).collect();
        stretches.sort_by(f32::total_cmp);
        let at = |share: f32| stretches[((stretches.len() - 1) as f32 * share) as usize];
        let found = [0.5, 0.95, 0.99].map(at);
        println!("{name}: {found:?}, most {}", at(1.0));
        assert!(
            found[0] < 1.2 && found[1] < 2.0 && found[2] < 3.0,
            "{name}: {found:?}"
        );
        assert!(at(1.0) < MOST_STRETCH, "{name}: {}", at(1.0));
    }
}

/// Longest over shortest extent on the surface of a small circle of the texture.
fn stretch(corners: &[BarkVertex; 3]) -> f32 {
    let [a, b, c] = corners.map(|v| Vec3::from(v.position));
    let [p, q, r] = corners.map(|v| Vec2::from(v.uv));
    let (e, f) = (b - a, c - a);
    let (d, g) = (q - p, r - p);
    let det = d.perp_dot(g);
    let (du, dv) = ((e * g.y - f * d.y) / det, (f * d.x - e * g.x) / det);
    let (uu, vv, uv) = (du.dot(du), dv.dot(dv), du.dot(dv));
    let root = ((uu - vv).powi(2) + 4.0 * uv * uv).sqrt();
    ((uu + vv + root) / (uu + vv - root).max(1e-12)).sqrt()
}

#[test]
fn branches_start_inside_of_their_parents() {
    let detail = Detail::default();
    for (name, bodies, look) in plants() {
        let skin = Skin::new(&bodies, &look, &detail);
        let tubes = Tubes::of(&name, &skin.bark);
        // At rest, and every joint turned by up to as much as a storm does.
        for most in [0.0, 0.2, 0.5] {
            let placed = skinned(&skin, &bent(&bodies, most));
            let inside = Inside::new(&placed, &tubes.triangles);
            for (tube, open) in tubes.open.iter().enumerate() {
                let corners: Vec<Vec3> = (open.iter())
                    .map(|&[v, _]| placed[v as usize].position)
                    .collect();
                let centre = corners.iter().sum::<Vec3>() / corners.len() as f32;
                for point in corners {
                    // Half of the tolerance is not seen: on plants of millimetres rings are that far from the curve.
                    let inwards = (centre - point).clamp_length_max(0.5 * detail.tolerance);
                    let buried = inside.any_but(tube, point + inwards);
                    // Where every joint is bent to the utmost, no farther off than the bark may be from the wood anyway.
                    let near = || inside.near(tube, point, detail.tolerance);
                    assert!(
                        buried || most >= 0.5 && near(),
                        "{name} bent by {most}: {point} is outside"
                    );
                }
            }
        }
    }
}

/// Finds the tubes that a point is inside of.
struct Inside<'a> {
    placed: &'a [skinning::Placed],
    tubes: &'a [Vec<[u32; 3]>],
    boxes: Vec<[Vec3; 2]>,
}

impl<'a> Inside<'a> {
    fn new(placed: &'a [skinning::Placed], tubes: &'a [Vec<[u32; 3]>]) -> Self {
        let bounds = |tube: &Vec<[u32; 3]>| {
            let corners = tube.iter().flatten().map(|&v| placed[v as usize].position);
            corners.fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[least, most], p| {
                [least.min(p), most.max(p)]
            })
        };
        let boxes = tubes.iter().map(bounds).collect();
        Self {
            placed,
            tubes,
            boxes,
        }
    }

    fn any(&self, point: Vec3) -> bool {
        self.any_but(usize::MAX, point)
    }

    /// Whether a point is inside once it is moved by `distance` in one of fourteen directions.
    fn near(&self, tube: usize, point: Vec3, distance: f32) -> bool {
        let steps = [-1.0, 0.0, 1.0];
        let ways = steps.iter().flat_map(|&x| {
            let yz = steps.iter().flat_map(move |&y| steps.map(|z| (y, z)));
            yz.map(move |(y, z)| Vec3::new(x, y, z))
        });
        ways.filter(|way| way.abs().element_sum() != 2.0)
            .any(|way| self.any_but(tube, point + way.normalize_or_zero() * distance))
    }

    fn any_but(&self, tube: usize, point: Vec3) -> bool {
        let within = |[least, most]: [Vec3; 2]| point.cmpge(least).all() && point.cmple(most).all();
        (0..self.tubes.len())
            .filter(|&other| other != tube && within(self.boxes[other]))
            .any(|other| winding(self.placed, &self.tubes[other], point) > 0.5)
    }
}

/// How often a surface goes around a point.
fn winding(placed: &[skinning::Placed], triangles: &[[u32; 3]], point: Vec3) -> f32 {
    let solid_angle = triangles.iter().map(|t| {
        let [a, b, c] = t.map(|v| placed[v as usize].position - point);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let above = a.dot(b.cross(c));
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * above.atan2(below)
    });
    solid_angle.sum::<f32>() / (4.0 * core::f32::consts::PI)
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let (_, bodies, look) = plants().swap_remove(0);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads")
            .install(|| Skin::new(&bodies, &look, &Detail::default()).bark)
    };
    let [one, three] = [1, 3].map(with);
    assert_eq!(one.triangles, three.triangles);
    let bytes = |m: &Mesh<BarkVertex>| bytemuck::cast_slice::<_, u8>(&m.vertices).to_vec();
    assert!(bytes(&one) == bytes(&three));
}

/// What stands apart from the wood that holds it is drawn where it stands: no vertex is farther from the body that carries it than that is thick.
#[test]
fn stems_over_a_gap_start_where_they_stand() {
    for name in ["reed", "fur"] {
        let grammar = grammars::named(name).expect(name);
        let grown = grammar.plant().grow(&Growth::default()).expect("it grows");
        let bodies = treesway::cut(&grown.skeleton, &grown.cut).expect("it can be cut");
        let skin = Skin::new(&bodies, &Look::default(), &Detail::default());
        let tree = Tree::build(&bodies, Default::default()).expect("it can be built");
        let longest = tree.ids().map(|id| tree.body(id).length);
        let longest = longest.fold(0.0, f32::max);
        for v in &skin.bark.vertices {
            let id = BodyId(v.bodies[0]);
            let (from, to) = (tree.pose(id).position, tree.tip(id));
            let point = Vec3::from(v.position);
            let share = (point - from).dot(to - from) / (to - from).length_squared();
            let near = from.lerp(to, share.clamp(0.0, 1.0));
            let off = near.distance(point);
            assert!(off < 0.5 * longest + 0.01, "{name}, {id:?}: {off} m");
        }
    }
}
