//! Models without a skin: our own trees as plain triangles, converted back, beside what they were made from.

use std::collections::BTreeMap;
use treesway::glam::Vec3;
use treesway::math::Rng;
use treesway::{BodyKind, Shape, TreeDesc, cut};
use treesway_io::import::{Imported, Options, import_bytes};
use treesway_io::scene::{Model, Scene};
use treesway_skin::{BodyTransform, Detail, Owner, Skin, skinning};

/// Triangles of one material.
#[derive(Clone, Default)]
struct Surface {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

/// A binary glTF of plain triangles, a primitive for each surface.
fn glb(surfaces: &[Surface]) -> Vec<u8> {
    let mut bin: Vec<u8> = Vec::new();
    let (mut views, mut accessors, mut primitives) = (Vec::new(), Vec::new(), Vec::new());
    for s in surfaces {
        let mut add = |bytes: Vec<u8>, component: u32, kind: &str, count: usize| {
            views.push(format!(
                r#"{{"buffer":0,"byteOffset":{},"byteLength":{}}}"#,
                bin.len(),
                bytes.len()
            ));
            bin.extend(bytes);
            accessors.push(format!(
                r#"{{"bufferView":{0},"componentType":{component},"type":"{kind}","count":{count},"min":[0,0,0],"max":[1,1,1]}}"#,
                views.len() - 1
            ));
            accessors.len() - 1
        };
        let numbers = s.positions.iter().flat_map(|p| p.to_array());
        let positions = numbers.flat_map(f32::to_le_bytes).collect();
        let position = add(positions, 5126, "VEC3", s.positions.len());
        let indices = s.triangles.iter().flatten();
        let bytes = indices.flat_map(|i| i.to_le_bytes()).collect();
        let index = add(bytes, 5125, "SCALAR", 3 * s.triangles.len());
        primitives.push(format!(
            r#"{{"attributes":{{"POSITION":{position}}},"indices":{index}}}"#
        ));
    }
    let mut json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{}]}}],"buffers":[{{"byteLength":{}}}],"bufferViews":[{}],"accessors":[{}]}}"#,
        primitives.join(","),
        bin.len(),
        views.join(","),
        accessors.join(","),
    )
    .into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    bin.resize(bin.len().next_multiple_of(4), 0);
    let mut out = b"glTF".to_vec();
    for word in [2, 12 + 8 + json.len() as u32 + 8 + bin.len() as u32] {
        out.extend(word.to_le_bytes());
    }
    for (kind, part) in [(0x4E4F_534A_u32, json), (0x004E_4942, bin)] {
        out.extend((part.len() as u32).to_le_bytes());
        out.extend(kind.to_le_bytes());
        out.extend(part);
    }
    out
}

fn read(surfaces: &[Surface]) -> Imported {
    import_bytes(&glb(surfaces), "model.glb", &Options::default(), None).unwrap()
}

fn error(surfaces: &[Surface]) -> String {
    let wrong = import_bytes(&glb(surfaces), "model.glb", &Options::default(), None);
    wrong.unwrap_err().to_string()
}

fn model(species: &str, bodies: usize) -> Model {
    let text =
        format!("version = 1\n[[tree]]\nspecies = \"{species}\"\nbodies = {bodies}\nseed = 3\n");
    let scene = Scene::parse(&text, "test.toml").unwrap();
    scene.build_to_draw().unwrap().1.remove(0)
}

fn bark(skin: &Skin) -> Surface {
    Surface {
        positions: skin
            .bark
            .vertices
            .iter()
            .map(|v| v.position.into())
            .collect(),
        triangles: skin.bark.triangles.clone(),
    }
}

fn leaves(skin: &Skin) -> Surface {
    let at_rest = vec![BodyTransform::default(); skin.rest.len()];
    let mut surface = Surface::default();
    for pieces in &skin.leaves {
        for instance in &pieces.instances {
            let first = surface.positions.len() as u32;
            let placed = pieces.mesh.vertices.iter();
            surface
                .positions
                .extend(placed.map(|v| skinning::piece(v, instance, &at_rest).position));
            let corners = pieces.mesh.triangles.iter();
            surface
                .triangles
                .extend(corners.map(|t| t.map(|i| i + first)));
        }
    }
    surface
}

/// What is known of the wood of a tree, and how well it was found.
#[derive(Debug, Default)]
struct Score {
    /// Tubes of the model, and those of them that were found as one branch of their own.
    tubes: usize,
    found: usize,
    /// Branches that were found, and those with the right parent, and the right end for a base.
    branches: usize,
    right_parents: usize,
    right_bases: usize,
    /// Angle between found and true axis, from base to tip, degrees: median and 95 %.
    angle: [f64; 2],
    /// Radius halfway over the true one: 5 %, median, 95 %.
    radius: [f64; 3],
    /// From where the base is to where it was found, over the length: median.
    base: f64,
}

fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * share).round() as usize]
}

/// Tube of each vertex of the bark: what hangs together by its triangles.
fn components(mesh: &Surface) -> Vec<usize> {
    let mut of: Vec<usize> = (0..mesh.positions.len()).collect();
    fn top(of: &mut [usize], mut i: usize) -> usize {
        while of[i] != i {
            of[i] = of[of[i]];
            i = of[i];
        }
        i
    }
    for t in &mesh.triangles {
        for (a, b) in [(t[0], t[1]), (t[1], t[2])] {
            let (a, b) = (top(&mut of, a as usize), top(&mut of, b as usize));
            of[a.max(b)] = a.min(b);
        }
    }
    (0..of.len()).map(|i| top(&mut of, i)).collect()
}

/// Compares with the bodies that the bark was drawn from; its vertices know theirs.
fn score(tree: &TreeDesc, skin: &Skin, imported: &Imported) -> Score {
    let component = components(&bark(skin));
    // The last body of a tube is its tip, and the branch that ends there is the one that it draws. (Near forks vertices hang on the body below.)
    let mut tips: BTreeMap<usize, usize> = BTreeMap::new();
    for (v, &c) in skin.bark.vertices.iter().zip(&component) {
        let tip = tips.entry(c).or_default();
        *tip = (*tip).max(v.bodies[0].max(v.bodies[1]) as usize);
    }
    let branch_of = |body: usize| tree.bodies[body].branch;
    let drawn_by: BTreeMap<i32, usize> =
        tips.iter().map(|(&c, &tip)| (branch_of(tip), c)).collect();
    // Down to where another tube begins: wood that ends in no tip of its own goes on in ours.
    let mut bodies: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut parents: BTreeMap<usize, usize> = BTreeMap::new();
    for (&c, &tip) in &tips {
        let mut way = vec![tip];
        while let Some(below) = tree.bodies[way[way.len() - 1]].parent {
            let below = below as usize;
            match drawn_by.get(&branch_of(below)) {
                Some(&other) if other != c => {
                    parents.insert(c, other);
                    break;
                }
                _ => way.push(below),
            }
        }
        way.reverse();
        bodies.insert(c, way);
    }
    let parent = |c: usize| parents.get(&c).copied();
    let owners = &imported.surface.as_ref().unwrap().owners;
    // Branches of each tube, tubes of each branch.
    let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut of_branch: BTreeMap<usize, usize> = BTreeMap::new();
    for (v, &c) in component.iter().enumerate() {
        if let (Owner::Branch(b), true) = (owners[v], bodies.contains_key(&c)) {
            let known = found.entry(c).or_default();
            if !known.contains(&(b as usize)) {
                known.push(b as usize);
            }
            of_branch.insert(b as usize, c);
        }
    }
    let mut score = Score {
        tubes: bodies.len(),
        ..Score::default()
    };
    let origin = imported.saved.origin.as_vec3();
    let (mut angles, mut radii, mut bases) = (Vec::new(), Vec::new(), Vec::new());
    for (c, own) in &bodies {
        let [b] = found.get(c).map_or(&[][..], Vec::as_slice) else {
            continue;
        };
        score.found += 1;
        let branch = &imported.saved.skeleton.branches[*b];
        score.branches += 1;
        let on = branch.parent.map(|p| of_branch.get(&p.branch).copied());
        score.right_parents += usize::from(on == parent(*c).map(Some));
        let rest = |body: usize| &skin.rest[body];
        let (first, last) = (own[0], own[own.len() - 1]);
        let Shape::Segment { length, .. } = tree.bodies[last].shape else {
            panic!("bark is wood");
        };
        let base = rest(first).position;
        let tip = rest(last).point(Vec3::Z * length);
        let [got_base, got_tip] =
            [branch.nodes[0], branch.nodes[branch.nodes.len() - 1]].map(|n| n.position + origin);
        score.right_bases += usize::from(got_base.distance(base) < got_base.distance(tip));
        let along = (tip - base).normalize();
        angles.push(f64::from(
            (got_tip - got_base)
                .normalize()
                .dot(along)
                .clamp(-1.0, 1.0)
                .acos()
                .to_degrees(),
        ));
        bases.push(f64::from(got_base.distance(base) / tip.distance(base)));
        // The radius where the middle node was found, of the body nearest to it.
        let middle = branch.nodes[branch.nodes.len() / 2];
        let at = middle.position + origin;
        let near = own.iter().map(|&body| {
            let Shape::Segment { length, base, tip } = tree.bodies[body].shape else {
                panic!("bark is wood");
            };
            let (from, to) = (rest(body).position, rest(body).point(Vec3::Z * length));
            let t = ((at - from).dot(to - from) / (to - from).length_squared()).clamp(0.0, 1.0);
            (from.lerp(to, t).distance(at), base + (tip - base) * t)
        });
        let true_radius = near.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap().1;
        radii.push(f64::from(middle.radius / true_radius));
    }
    score.angle = [0.5, 0.95].map(|s| quantile(&mut angles, s));
    score.radius = [0.05, 0.5, 0.95].map(|s| quantile(&mut radii, s));
    score.base = quantile(&mut bases, 0.5);
    score
}

fn checked(name: &str, score: &Score, parents: f64) {
    println!("{name}: {score:?}");
    let share = |a: usize, b: usize| a as f64 / b as f64;
    assert!(share(score.found, score.tubes) > 0.97, "{name}: {score:?}");
    assert!(
        share(score.right_parents, score.branches) > parents,
        "{name}: {score:?}"
    );
    assert!(
        share(score.right_bases, score.branches) > 0.99,
        "{name}: {score:?}"
    );
    assert!(
        score.angle[0] < 3.0 && score.angle[1] < 15.0,
        "{name}: {score:?}"
    );
    assert!((score.radius[1] - 1.0).abs() < 0.1, "{name}: {score:?}");
}

#[test]
fn our_own_trees_are_found_again() {
    for species in ["oak", "birch", "pine", "spruce", "willow", "cherry"] {
        let model = model(species, 1500);
        let detail = Detail::within(60_000, &model.bodies, &model.look);
        let skin = Skin::new(&model.bodies, &model.look, &detail);
        let imported = read(&[bark(&skin), leaves(&skin)]);
        checked(species, &score(&model.bodies, &skin, &imported), 0.95);
        let drawn: usize = skin.leaves.iter().map(|l| l.instances.len()).sum();
        println!(
            "  {drawn} leaves drawn, {} found",
            imported.saved.skeleton.leaves.len()
        );
        let body_leaves = model
            .bodies
            .bodies
            .iter()
            .filter(|b| b.shape.kind() == BodyKind::Leaf);
        assert_eq!(
            imported.saved.skeleton.leaves.is_empty(),
            body_leaves.count() == 0
        );
        let bodies = cut(&imported.saved.skeleton, &imported.saved.cut).unwrap();
        bodies.validate().unwrap();
    }
}

fn noisy(surface: &Surface, most: f32) -> Surface {
    let mut random = Rng::new(5, 0);
    let mut offset = || random.signed() as f32 * most;
    let moved = |p: &Vec3| *p + Vec3::new(offset(), offset(), offset());
    Surface {
        positions: surface.positions.iter().map(moved).collect(),
        triangles: surface.triangles.clone(),
    }
}

/// Every vertex moved on its own: seams open, and no two points are one any more.
#[test]
fn noise_moves_axes_and_nothing_else() {
    let model = model("oak", 1500);
    let detail = Detail::within(60_000, &model.bodies, &model.look);
    let skin = Skin::new(&model.bodies, &model.look, &detail);
    // As coarse quantisation gives, 0.2 mm: collars have edges of 2 mm.
    let imported = read(&[noisy(&bark(&skin), 0.0002), leaves(&skin)]);
    checked("noisy oak", &score(&model.bodies, &skin, &imported), 0.95);
}

/// A straight tube of rings; the last one may be a point.
fn tube(from: Vec3, to: Vec3, radii: [f32; 2], rings: u32, sides: u32) -> Surface {
    let axis = (to - from).normalize();
    let (x, y) = axis.any_orthonormal_pair();
    let point = |i: u32| {
        let (ring, side) = (i / sides, i % sides);
        let t = ring as f32 / (rings - 1) as f32;
        let (sin, cos) = (core::f32::consts::TAU * side as f32 / sides as f32).sin_cos();
        from.lerp(to, t) + (x * cos + y * sin) * (radii[0] + (radii[1] - radii[0]) * t)
    };
    let quad = |i: u32| {
        let (ring, side) = (i / sides, i % sides);
        let next = ring * sides + (side + 1) % sides;
        [[i, next, next + sides], [i, next + sides, i + sides]]
    };
    Surface {
        positions: (0..rings * sides).map(point).collect(),
        triangles: (0..(rings - 1) * sides).flat_map(quad).collect(),
    }
}

fn card(from: Vec3, to: Vec3, half: Vec3) -> Surface {
    Surface {
        positions: vec![from - half, from + half, to + half, to - half],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}

fn together(surfaces: &[Surface]) -> Surface {
    let mut all = Surface::default();
    for s in surfaces {
        let first = all.positions.len() as u32;
        all.positions.extend(&s.positions);
        all.triangles
            .extend(s.triangles.iter().map(|t| t.map(|i| i + first)));
    }
    all
}

/// A trunk with two limbs, a twig and a leaf, all in one primitive, and what each ought to be.
fn small() -> Surface {
    let trunk = tube(Vec3::ZERO, Vec3::Y * 3.0, [0.1, 0.04], 7, 8);
    let limb = tube(Vec3::Y * 2.0, Vec3::new(1.0, 2.8, 0.0), [0.03, 0.01], 4, 6);
    // Its vertices run from the tip to the base.
    let other = tube(
        Vec3::new(-1.0, 2.0, 0.3),
        Vec3::Y * 1.5,
        [0.012, 0.035],
        5,
        6,
    );
    let twig = tube(
        Vec3::new(0.5, 2.4, 0.0),
        Vec3::new(0.6, 2.5, 0.5),
        [0.008, 0.003],
        3,
        5,
    );
    let leaf = card(
        Vec3::new(0.6, 2.51, 0.5),
        Vec3::new(0.6, 2.6, 0.6),
        Vec3::X * 0.03,
    );
    together(&[limb, leaf, twig, other, trunk])
}

fn assert_small(imported: &Imported) {
    let skeleton = &imported.saved.skeleton;
    let [limb, twig, other, trunk] = &skeleton.branches[..] else {
        panic!("{} branches", skeleton.branches.len());
    };
    let on = |b: &treesway::Branch| b.parent.map(|p| (p.branch, p.along));
    assert_eq!(on(trunk), None);
    let [(a, limb_at), (b, other_at), (c, _)] = [limb, other, twig].map(|b| on(b).unwrap());
    assert_eq!([a, b, c], [3, 3, 0]);
    assert!(
        (limb_at - 2.0).abs() < 0.1 && (other_at - 1.5).abs() < 0.1,
        "{limb_at} {other_at}"
    );
    let ends = |b: &treesway::Branch| [b.nodes[0], b.nodes[b.nodes.len() - 1]];
    let near = |p: Vec3, q: Vec3| assert!(p.distance(q) < 0.05, "{p} {q}");
    let [base, tip] = ends(other);
    near(base.position, Vec3::Y * 1.5);
    near(tip.position, Vec3::new(-1.0, 2.0, 0.3));
    assert!((base.radius - 0.035).abs() < 0.004 && (tip.radius - 0.012).abs() < 0.004);
    let [base, tip] = ends(trunk);
    near(base.position, Vec3::ZERO);
    near(tip.position, Vec3::Y * 3.0);
    assert!((base.radius / 0.1 - 1.0).abs() < 0.05 && (tip.radius / 0.04 - 1.0).abs() < 0.05);
    let [leaf] = skeleton.leaves[..] else {
        panic!("{} leaves", skeleton.leaves.len());
    };
    assert_eq!(leaf.on.branch, 1);
    near(leaf.position, Vec3::new(0.6, 2.51, 0.5));
    assert!(
        (leaf.width - 0.06).abs() < 0.005 && (leaf.length - 0.1345).abs() < 0.01,
        "{leaf:?}"
    );
}

#[test]
fn a_small_model_is_read_part_by_part() {
    assert_small(&read(&[small()]));
}

#[test]
fn units_and_axes_are_turned() {
    let mut z_up = small();
    for p in &mut z_up.positions {
        *p = Vec3::new(p.x, -p.z, p.y) * 100.0;
    }
    let options = Options {
        up: Some(treesway_io::import::Up::Z),
        scale: 0.01,
        ..Options::default()
    };
    let imported = import_bytes(&glb(&[z_up]), "model.glb", &options, None).unwrap();
    assert_small(&imported);
}

/// A fork of one piece: the limb's first ring is points of the trunk's.
#[test]
fn wood_that_is_merged_at_forks_is_taken_apart() {
    let trunk = tube(Vec3::ZERO, Vec3::Y * 4.0, [0.1, 0.05], 33, 12);
    let mut limb = tube(
        Vec3::Y * 2.0,
        Vec3::new(2.0, 3.0, 0.0),
        [0.05, 0.02],
        17,
        12,
    );
    // The first ring is moved to the trunk's nearest points, which become one with them.
    for p in &mut limb.positions[..12] {
        let near = |q: &&Vec3| q.distance_squared(*p);
        *p = *trunk
            .positions
            .iter()
            .min_by(|a, b| near(a).total_cmp(&near(b)))
            .unwrap();
    }
    let imported = read(&[together(&[trunk, limb])]);
    let branches = &imported.saved.skeleton.branches;
    assert_eq!(branches.len(), 2, "{:?}", imported.notes);
    let limb = branches.iter().find(|b| b.parent.is_some()).unwrap();
    let tip = limb.nodes[limb.nodes.len() - 1].position;
    assert!(tip.distance(Vec3::new(2.0, 3.0, 0.0)) < 0.15, "{tip}");
    let along = limb.parent.unwrap().along;
    assert!((along - 2.0).abs() < 0.35, "{along}");
}

#[test]
fn what_is_no_wood_is_refused() {
    let cards: Vec<Surface> = (0..5)
        .map(|i| {
            card(
                Vec3::X * i as f32,
                Vec3::X * i as f32 + Vec3::Y,
                Vec3::Z * 0.4,
            )
        })
        .collect();
    // A box, whose edges are as long as each other.
    let block = tube(Vec3::ZERO, Vec3::Y, [0.6, 0.6], 4, 4);
    for (surface, part) in [
        (together(&cards), "none of the 5 connected parts"),
        (block, "none of the 1 connected parts"),
    ] {
        let line = error(&[surface]);
        assert!(
            line.contains(part) && line.contains("expected wood"),
            "{line}"
        );
        assert_eq!(line.lines().count(), 1);
    }
}

/// A file of a model, and the scene of its tree in a strong wind.
fn in_wind(surfaces: &[Surface]) -> (tempfile::TempDir, Scene) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.glb");
    std::fs::write(&path, glb(surfaces)).unwrap();
    let settings = ["tree.solver=spectral", "wind.speed=14"].map(String::from);
    let scene = Scene::of_tree_file(&path, &settings).unwrap();
    (folder, scene)
}

/// Every point of a skin where its bodies have it, wood first.
fn drawn(skin: &Skin, transforms: &[BodyTransform]) -> Vec<Vec3> {
    let wood = skin.bark.vertices.iter();
    let wood = wood.map(|v| skinning::bark(v, transforms).position);
    let leaves = skin.leaves.iter().flat_map(|pieces| {
        pieces.instances.iter().flat_map(|instance| {
            let all = pieces.mesh.vertices.iter();
            all.map(|v| skinning::piece(v, instance, transforms).position)
        })
    });
    wood.chain(leaves).collect()
}

#[test]
fn a_model_is_drawn_with_its_own_triangles_and_bends() {
    let model = model("birch", 800);
    let detail = Detail::within(40_000, &model.bodies, &model.look);
    let skin = Skin::new(&model.bodies, &model.look, &detail);
    let surfaces = [bark(&skin), leaves(&skin)];
    let (_folder, scene) = in_wind(&surfaces);
    let (mut simulation, models) = scene.build_to_draw().unwrap();
    let own = Skin::new(&models[0].bodies, &models[0].look, &Detail::default());
    let wood = surfaces[0].triangles.len();
    assert_eq!(own.bark.triangles.len(), wood);
    let all = wood + surfaces[1].triangles.len();
    assert_eq!(own.triangles(), all);
    println!("{} shapes of {all} triangles", own.leaves.len());
    let cards: usize = own.leaves.iter().map(|l| l.instances.len()).sum();
    assert!(
        4 * own.leaves.len() < cards,
        "cards of one shape share a mesh"
    );
    // At rest every point of the file is where it was, but for the origin.
    let at_rest = vec![BodyTransform::default(); own.rest.len()];
    let still = drawn(&own, &at_rest);
    let origin = surfaces[0].positions[0] - still[0];
    let mut off = 0.0_f32;
    for (v, p) in own.bark.vertices.iter().zip(&still) {
        off = off.max(Vec3::from(v.position).distance(*p));
    }
    let bounds = |points: &[Vec3]| {
        points
            .iter()
            .fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[a, b], &p| {
                [a.min(p), b.max(p)]
            })
    };
    let file: Vec<Vec3> = surfaces
        .iter()
        .flat_map(|s| &s.positions)
        .copied()
        .collect();
    for (a, b) in bounds(&still).iter().zip(bounds(&file)) {
        off = off.max((*a + origin).distance(b));
    }
    assert!(off < 2e-3, "{off}");
    // In the wind it moves, and its wood is neither torn nor stretched.
    for _ in 0..90 {
        simulation.step();
    }
    let tree = &simulation.world().trees()[0];
    let mut transforms = Vec::new();
    own.transforms(tree, &mut transforms);
    let moved = drawn(&own, &transforms);
    let height = bounds(&still)[1].y;
    let farthest = still.iter().zip(&moved).map(|(a, b)| a.distance(*b));
    let farthest = farthest.fold(0.0, f32::max);
    let stretch = own.bark.triangles.iter().map(|t| {
        let longest = |p: &[Vec3]| {
            let corners = t.map(|i| p[i as usize]);
            (0..3).fold(0.0_f32, |l, i| {
                l.max(corners[i].distance(corners[(i + 1) % 3]))
            })
        };
        longest(&moved) / longest(&still)
    });
    let mut stretch: Vec<f64> = stretch.map(f64::from).collect();
    let [low, high] = [0.002, 0.998].map(|s| quantile(&mut stretch, s));
    println!(
        "moved by up to {farthest:.3} m of {height:.1}; triangles {low:.3} to {high:.3} as long"
    );
    assert!(
        farthest > 0.02 * height && farthest < 0.6 * height,
        "{farthest}"
    );
    assert!(low > 0.8 && high < 1.25, "{low} {high}");
}

#[test]
fn what_is_broken_off_is_open() {
    let model = model("birch", 800);
    let detail = Detail::within(40_000, &model.bodies, &model.look);
    let skin = Skin::new(&model.bodies, &model.look, &detail);
    let (_folder, scene) = in_wind(&[bark(&skin), leaves(&skin)]);
    let (_, models) = scene.build_to_draw().unwrap();
    let mut own = Skin::new(&models[0].bodies, &models[0].look, &Detail::default());
    let whole = own.bark.triangles.len();
    // The second segment of the trunk.
    let of_trunk = |b: &&treesway::BodyDesc| b.branch == models[0].bodies.bodies[0].branch;
    let trunk: Vec<_> = models[0].bodies.bodies.iter().filter(of_trunk).collect();
    assert!(trunk.len() > 2);
    let broken = models[0]
        .bodies
        .bodies
        .iter()
        .position(|b| b.parent == Some(0));
    let broken = treesway::BodyId(broken.unwrap() as u32);
    let bodies = &models[0].bodies;
    own.tear(bodies, &models[0].look, &Detail::default(), &[broken]);
    assert!(own.bark.triangles.len() < whole);
    for v in &own.bark.vertices {
        let [a, b] = v.bodies;
        let across = [(a, b), (b, a)].contains(&(broken.0, 0));
        assert!(!across || v.weight == 0.0, "{v:?}");
    }
}
