//! The trees as they are seen: on the GPU, between two frames of the simulation, under the pointer.

use crate::orbit::{Orbit, Ray};
use crate::pick::{Hit, pick};
use crate::stage::Stage;
use eframe::egui::{Pos2, Rect, TextureId};
use eframe::egui_wgpu::RenderState;
use treesway::glam::Vec3;
use treesway::{Ball, BodyId, BodyPose, Collider, ColliderShape, Shape};
use treesway_io::scene::Model;
use treesway_render::wgpu::{
    self, DeviceType, FilterMode, TextureDescriptor, TextureFormat, TextureUsages, TextureView,
    TextureViewDescriptor,
};
use treesway_render::{
    ColourBy, Mode, Painter, Quality, Renderer, Settings, TooLarge, TreeMesh, TreeOnGpu,
};
use treesway_skin::{BodyTransform, CurveSkin, Detail, Look};

/// How trees are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Display {
    /// As they look.
    #[default]
    Shaded,
    /// Every triangle in one shade.
    Flat,
    /// Edges of the triangles.
    Wireframe,
    /// A line for each body.
    Skeleton,
    /// In colours that stand for something.
    By(ColourBy),
    /// Branches with curves of their own in colour.
    Overrides,
}

impl Display {
    /// All of them, with their names.
    pub const ALL: [(Self, &'static str); 10] = [
        (Self::Shaded, "Smooth"),
        (Self::Flat, "Flat"),
        (Self::Wireframe, "Wireframe"),
        (Self::Skeleton, "Skeleton"),
        (Self::By(ColourBy::Stiffness), "Stiffness"),
        (Self::By(ColourBy::Radius), "Radius"),
        (Self::By(ColourBy::Stress), "Stress"),
        (Self::By(ColourBy::BranchOrder), "Branch order"),
        (Self::By(ColourBy::Speed), "Speed"),
        (Self::Overrides, "Overrides"),
    ];

    fn mode(self) -> Mode {
        match self {
            Self::Shaded => Mode::Shaded,
            Self::Flat => Mode::Flat,
            Self::Wireframe => Mode::Wireframe,
            Self::Skeleton => Mode::Skeleton,
            Self::By(_) | Self::Overrides => Mode::Coloured,
        }
    }

    /// What a body is drawn as: nothing, itself, or a line of that length.
    fn shape(self, shape: &Shape, length: f32) -> Option<Shape> {
        let is_wood = matches!(shape, Shape::Segment { .. });
        match self {
            Self::By(by) if by.is_of_wood() && !is_wood => None,
            Self::Skeleton => Some(Shape::Segment {
                length,
                base: 0.0,
                tip: 0.0,
            }),
            _ => Some(*shape),
        }
    }
}

/// Poses of the bodies of a tree that are seen ([`TreeOnGpu::seen`]), in the last two frames.
#[derive(Default)]
struct Motion {
    before: Vec<BodyPose>,
    now: Vec<BodyPose>,
    /// What they look like.
    shapes: Vec<Shape>,
}

/// Shapes of the bodies that are seen: leaves as large as they are drawn, fewer of them larger.
fn shapes(drawn: &TreeOnGpu, model: &Model) -> Vec<Shape> {
    let seen = drawn.seen();
    let own = seen.iter().map(|id| model.bodies.bodies[id.index()].shape);
    let mut shapes: Vec<Shape> = own.collect();
    for instance in drawn.skin().leaves.iter().flat_map(|p| &p.instances) {
        if let Ok(number) = seen.binary_search(&BodyId(instance.body))
            && let Shape::Leaf { length, width, .. } = &mut shapes[number]
        {
            [*width, _, *length] = instance.scale;
        }
    }
    shapes
}

impl Motion {
    fn pose(&self, number: usize, blend: f32) -> BodyPose {
        between(&self.before[number], &self.now[number], blend)
    }

    fn at(&self, blend: f32) -> impl Iterator<Item = BodyPose> {
        let both = self.before.iter().zip(&self.now);
        both.map(move |(before, now)| between(before, now, blend))
    }
}

fn between(before: &BodyPose, now: &BodyPose, blend: f32) -> BodyPose {
    BodyPose {
        position: before.position.lerp(now.position, blend),
        rotation: before.rotation.lerp(now.rotation, blend),
    }
}

/// What is drawn into.
struct Picture {
    size: [u32; 2],
    view: TextureView,
    id: TextureId,
}

/// Draws the trees of a stage into a texture that egui shows.
pub struct Viewport {
    gpu: RenderState,
    renderer: Renderer,
    trees: Vec<TreeOnGpu>,
    motions: Vec<Motion>,
    picture: Option<Picture>,
    painters: Vec<Painter>,
    painted: Option<ColourBy>,
    transforms: Vec<BodyTransform>,
    /// Of the trees, while wood is drawn as curves.
    curves: Vec<CurveSkin>,
    /// Balls in the last two frames.
    balls: [Vec<Ball>; 2],
    /// Radii that the last of `trees` has balls of, m; none while it has none.
    ball_radii: Vec<f32>,
    /// Colliders in the last two frames.
    colliders: [Vec<Collider>; 2],
    /// Shapes of those that one of `trees` is made of, behind those that grow; none while there is none.
    solids: Vec<ColliderShape>,
    /// On the ground in the last frame, kg/m².
    snow: f32,
}

/// Bodies up to which all are drawn as lines, or as curves; beyond, those that are seen as bark and leaves.
const MOST_LINES: usize = 200_000;

/// Of balls, sRGB: unlike anything that grows.
const BALL: [f32; 3] = [0.16, 0.36, 0.75];

/// Pixels that software draws fast enough to work with.
const SOFTWARE_PIXELS: f32 = 260_000.0;

impl Viewport {
    /// Draws with the window's graphics card.
    pub fn new(gpu: RenderState) -> Self {
        let quality = if is_software(&gpu) {
            Quality::Low
        } else {
            Quality::Medium
        };
        // What is drawn in linear light is stored in sRGB; egui reads the bytes as they are.
        let format = TextureFormat::Rgba8UnormSrgb;
        Self {
            renderer: Renderer::new(&gpu.device, &gpu.queue, format, quality),
            gpu,
            trees: Vec::new(),
            motions: Vec::new(),
            picture: None,
            painters: Vec::new(),
            painted: None,
            transforms: Vec::new(),
            curves: Vec::new(),
            balls: Default::default(),
            ball_radii: Vec::new(),
            colliders: Default::default(),
            solids: Vec::new(),
            snow: 0.0,
        }
    }

    /// How well it draws.
    pub fn quality(&self) -> Quality {
        self.renderer.quality()
    }

    /// Name of the adapter.
    pub fn adapter(&self) -> String {
        self.gpu.adapter.get_info().name
    }

    /// Shows other trees.
    pub fn take(&mut self, stage: &Stage, meshes: Vec<TreeMesh>) -> Result<(), TooLarge> {
        let trees = meshes.into_iter();
        self.trees = trees
            .map(|mesh| TreeOnGpu::upload(&self.renderer, mesh))
            .collect::<Result<_, _>>()?;
        self.motions = self.trees.iter().map(|_| Motion::default()).collect();
        self.painted = None;
        self.curves.clear();
        self.ball_radii.clear();
        self.solids.clear();
        self.note(stage);
        self.note(stage);
        Ok(())
    }

    /// Shows what has come to a stage since: every world has as many trees more.
    pub fn take_new(&mut self, stage: &Stage) -> Result<(), TooLarge> {
        let shown = stage.shown().count();
        let worlds = shown / stage.models.len();
        let (known, all) = (self.motions.len() / worlds, stage.models.len());
        for i in (0..worlds).flat_map(|world| (known..all).map(move |i| world * all + i)) {
            let mesh = stage.mesh(i, self.quality());
            self.trees
                .insert(i, TreeOnGpu::upload(&self.renderer, mesh)?);
            self.motions.insert(i, Motion::default());
            self.painted = None;
            self.curves.clear();
        }
        if known < all {
            self.note(stage);
        }
        Ok(())
    }

    /// A frame of the simulation is done, or the trees were set back.
    pub fn note(&mut self, stage: &Stage) {
        self.tear(stage);
        let drawn = self.trees.iter().zip(&mut self.motions);
        for (i, ((drawn, motion), (tree, offset))) in drawn.zip(stage.shown()).enumerate() {
            if motion.shapes.len() != drawn.seen().len() {
                motion.shapes = shapes(drawn, stage.model(i));
            }
            core::mem::swap(&mut motion.before, &mut motion.now);
            motion.now.clear();
            motion.now.extend(drawn.seen().iter().map(|&id| {
                let pose = tree.pose(id);
                BodyPose {
                    position: pose.position + offset,
                    ..pose
                }
            }));
            if motion.before.len() != motion.now.len() {
                motion.before.clone_from(&motion.now);
            }
        }
        self.balls.swap(0, 1);
        self.balls[1].clear();
        self.balls[1].extend(stage.balls());
        if self.balls[0].len() != self.balls[1].len() {
            self.balls[0] = self.balls[1].clone();
        }
        self.colliders.swap(0, 1);
        self.colliders[1].clear();
        self.colliders[1].extend(stage.colliders());
        if self.colliders[0].len() != self.colliders[1].len() {
            self.colliders[0] = self.colliders[1].clone();
        }
    }

    /// Shows torn wood where branches broke off.
    fn tear(&mut self, stage: &Stage) {
        let quality = self.quality();
        for (i, (tree, _)) in stage.shown().enumerate() {
            let (drawn, model) = (&mut self.trees[i], stage.model(i));
            let broken = tree.broken();
            if drawn.torn() != broken {
                let detail = stage.detail(model, quality);
                let (bodies, look) = (&model.bodies, &model.look);
                drawn.tear(&self.renderer, bodies, look, &detail, &broken);
                // Others may be seen now.
                self.motions[i] = Motion::default();
            }
        }
    }

    /// Bends curves through the ends of wood, or none.
    fn curve(&mut self, stage: &Stage, resolution: Option<u32>, blend: f32) {
        let Some(resolution) = resolution.filter(|_| stage.shown_bodies() <= MOST_LINES) else {
            if !self.curves.is_empty() {
                self.curves.clear();
                self.trees.iter_mut().for_each(TreeOnGpu::end_curves);
            }
            return;
        };
        if self.curves.is_empty() {
            let skin = |(tree, _)| CurveSkin::new(tree, resolution, CurveSkin::SIDES);
            self.curves = stage.shown().map(skin).collect();
        }
        for (i, skin) in self.curves.iter_mut().enumerate() {
            if skin.resolution() != resolution {
                skin.set_resolution(resolution);
            }
            let motion = &self.motions[i];
            skin.bend_to(|body| motion.pose(body.index(), blend));
            self.trees[i].bend_curves(&self.renderer, skin, &stage.model(i).look.bark);
        }
    }

    /// Moves balls, and makes room for those that are new.
    fn roll(&mut self, blend: f32) -> Result<(), TooLarge> {
        let [before, now] = &self.balls;
        let radii = now.iter().map(|ball| ball.radius);
        let fits =
            now.len() <= self.ball_radii.len() && radii.zip(&self.ball_radii).all(|(a, b)| a == *b);
        if !fits || (now.is_empty() && !self.ball_radii.is_empty()) {
            let others = self.motions.len() + usize::from(!self.solids.is_empty());
            self.trees.truncate(others);
            self.ball_radii = now.iter().map(|ball| ball.radius).collect();
            if let Some(&last) = self.ball_radii.last() {
                // Room for the next ones, which are likely as large.
                self.ball_radii.resize(now.len().next_multiple_of(16), last);
                let balls = self.ball_radii.iter().map(|&radius| Ball {
                    radius,
                    ..Ball::default()
                });
                let (mut look, detail) = (Look::default(), Detail::default());
                look.fruit.colour = BALL;
                self.trees
                    .push(TreeOnGpu::of_balls(&self.renderer, balls, &look, &detail)?);
            }
        }
        if self.ball_radii.is_empty() {
            return Ok(());
        }
        let thrown = before.iter().zip(now).map(|(before, now)| Ball {
            position: before.position.lerp(now.position, blend),
            rotation: before.rotation.slerp(now.rotation, blend),
            ..*now
        });
        // Those that are not thrown yet lie under the ground.
        let waiting = self.ball_radii[now.len()..].iter().map(|&radius| Ball {
            position: Vec3::NEG_Y * 1e4,
            radius,
            ..Ball::default()
        });
        let all: Vec<Ball> = thrown.chain(waiting).collect();
        if let Some(drawn) = self.trees.last_mut() {
            drawn.follow_balls(all.into_iter());
        }
        Ok(())
    }

    /// Moves colliders, which stand between trees and balls.
    fn push(&mut self, blend: f32) -> Result<(), TooLarge> {
        let [before, now] = &self.colliders;
        let shapes: Vec<ColliderShape> = now.iter().map(|c| c.shape).collect();
        if shapes != self.solids {
            self.trees.truncate(self.motions.len());
            self.ball_radii.clear();
            self.solids.clear();
            if !shapes.is_empty() {
                let drawn = TreeOnGpu::of_colliders(&self.renderer, shapes.iter().copied())?;
                self.trees.push(drawn);
                self.solids = shapes;
            }
        }
        if self.solids.is_empty() {
            return Ok(());
        }
        let poses = before.iter().zip(now).map(|(before, now)| BodyPose {
            position: before.position.lerp(now.position, blend),
            rotation: before.rotation.slerp(now.rotation, blend),
        });
        self.trees[self.motions.len()].follow_colliders(poses);
        Ok(())
    }

    /// Draws the trees between the last two frames into a picture of about that size, in pixels of the screen.
    pub fn draw(
        &mut self,
        stage: &Stage,
        orbit: &Orbit,
        look: &View,
        blend: f32,
        size: [u32; 2],
    ) -> TextureId {
        self.see_lines(stage, look);
        for (i, (tree, _)) in stage.shown().enumerate() {
            let drawn = &mut self.trees[i];
            let rest = &drawn.skin().rest;
            self.transforms.clear();
            let moved = drawn.seen().iter().zip(self.motions[i].at(blend));
            let moved =
                moved.map(|(&id, now)| BodyTransform::of(tree, id, &rest[id.index()], &now));
            self.transforms.extend(moved);
            drawn.set_transforms(&self.transforms);
        }
        self.curve(stage, look.curves, blend);
        self.paint(stage, look.display);
        // Balls and colliders that no graphics card has room for are not seen.
        let _ = self.push(blend);
        let _ = self.roll(blend);
        let world = stage.simulation.world();
        self.snow = Settings::snow_on_ground(world);
        self.renderer.set_ground(&world.ground);
        self.draw_again(orbit, look, size)
    }

    /// Lines and curves show every body, if there are not too many.
    fn see_lines(&mut self, stage: &Stage, look: &View) {
        let lines = look.display == Display::Skeleton || look.curves.is_some();
        if !lines || stage.shown_bodies() > MOST_LINES {
            return;
        }
        let trees = self.trees.iter_mut().take(self.motions.len());
        // All of them: one that is whole already is not made anew.
        let new = trees.map(|tree| tree.see_all(&self.renderer));
        if new.fold(false, |any, new| any | new) {
            self.motions.fill_with(Motion::default);
            self.painted = None;
            self.note(stage);
        }
    }

    /// Draws what was drawn last once more, from where the camera is now.
    pub fn draw_again(&mut self, orbit: &Orbit, look: &View, size: [u32; 2]) -> TextureId {
        self.fit(size);
        let picture = self.picture.as_ref().expect("made for this frame");
        let settings = Settings {
            mode: look.display.mode(),
            snow: self.snow,
            ..look.settings
        };
        self.renderer.draw(
            &picture.view,
            picture.size,
            &self.trees,
            &orbit.camera(),
            &settings,
        );
        picture.id
    }

    /// Least and greatest value of what colours stand for.
    pub fn colour_range(&self) -> Option<[f32; 2]> {
        let ranges = self.painters.iter().map(Painter::range);
        ranges.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
    }

    fn paint(&mut self, stage: &Stage, display: Display) {
        match display {
            Display::By(by) => {
                let count = self.motions.len();
                if self.painted != Some(by) || self.painters.len() != count {
                    self.painters = (0..count).map(|_| Painter::new(by)).collect();
                    self.painted = Some(by);
                }
                let both = self.trees.iter_mut().zip(&mut self.painters);
                for ((drawn, painter), (tree, _)) in both.zip(stage.shown()) {
                    drawn.paint(painter.colours(tree, drawn.seen()));
                }
            }
            Display::Overrides => {
                self.painted = None;
                for (drawn, (tree, _)) in self.trees.iter_mut().zip(stage.shown()) {
                    drawn.paint(&override_colours(tree, drawn.seen()));
                }
            }
            Display::Skeleton | Display::Wireframe | Display::Flat | Display::Shaded => {
                if self.painted.take().is_some() || display != Display::Shaded {
                    for tree in &mut self.trees {
                        let count = tree.seen().len();
                        tree.paint(&vec![[235, 240, 225, 255]; count]);
                    }
                }
            }
        }
    }

    /// What is under a point of the picture, as it was drawn last, and the number of its tree: exactly what is seen there, else what is thinner than a pixel and near.
    pub fn pick(
        &self,
        stage: &Stage,
        orbit: &Orbit,
        look: &View,
        at: Pos2,
        view: Rect,
    ) -> Option<(usize, Hit)> {
        let ray = orbit.ray(at, view);
        let mode = look.display.mode();
        let rows = self
            .picture
            .as_ref()
            .map_or(view.height(), |p| p.size[1] as f32);
        let mut sight = orbit.sight(at, view, view.height() / rows);
        if look.settings.background {
            sight.reach = self.ground_on(&ray);
        }
        // Those of the project; what is beside them is not held, but hides what is behind it.
        let planted = stage.models.len();
        let all = self.trees.iter().enumerate();
        let met = all
            .clone()
            .filter(|_| mode != Mode::Skeleton)
            .filter_map(|(i, tree)| {
                let met = tree.meet(&sight, mode)?;
                Some((i, met))
            });
        if let Some((i, met)) = met.min_by(|a, b| a.1.distance.total_cmp(&b.1.distance)) {
            let pose = self.trees[i].pose(met.body);
            let hit = Hit::new(&ray, met.body, &pose, met.distance);
            return (i < planted).then_some((i, hit));
        }
        let thicker = 3.0 * orbit.metres_per_point(view);
        all.take(planted)
            .filter_map(|(i, drawn)| {
                let bodies = drawn.seen().iter().zip(&self.motions[i].shapes);
                let bodies = bodies.filter_map(|(&id, shape)| {
                    let length = drawn.line_length(id);
                    Some((id, look.display.shape(shape, length)?, drawn.pose(id)))
                });
                Some((i, pick(&ray, bodies, thicker)?))
            })
            .filter(|(_, hit)| hit.distance < sight.reach)
            .min_by(|a, b| a.1.distance.total_cmp(&b.1.distance))
    }

    /// How far it is to the ground on a ray from above it, m.
    fn ground_on(&self, ray: &Ray) -> f32 {
        let down = self.renderer.ground_height(&self.trees) - ray.origin.y;
        if down < 0.0 && ray.direction.y < 0.0 {
            down / ray.direction.y
        } else {
            f32::INFINITY
        }
    }

    /// A picture of about that size: software draws fewer pixels, which are shown larger.
    fn fit(&mut self, wanted: [u32; 2]) {
        let most = self.gpu.device.limits().max_texture_dimension_2d;
        let mut size = wanted.map(|edge| edge.clamp(8, most));
        if is_software(&self.gpu) {
            let pixels = size[0] as f32 * size[1] as f32;
            let less = (SOFTWARE_PIXELS / pixels).sqrt().min(1.0);
            // To the nearest, so that what is seen is where the pointer finds it.
            size = size.map(|edge| ((edge as f32 * less).round() as u32).max(8));
        }
        if self.picture.as_ref().is_some_and(|p| p.size == size) {
            return;
        }
        let texture = self.gpu.device.create_texture(&TextureDescriptor {
            label: Some("viewport"),
            size: wgpu::Extent3d {
                width: size[0],
                height: size[1],
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: TextureFormat::Rgba8Unorm,
            usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING,
            view_formats: &[TextureFormat::Rgba8UnormSrgb],
        });
        let shown = texture.create_view(&TextureViewDescriptor::default());
        let view = texture.create_view(&TextureViewDescriptor {
            format: Some(TextureFormat::Rgba8UnormSrgb),
            ..TextureViewDescriptor::default()
        });
        let mut egui = self.gpu.renderer.write();
        let device = &self.gpu.device;
        let id = match &self.picture {
            Some(old) => {
                let (filter, id) = (FilterMode::Linear, old.id);
                egui.update_egui_texture_from_wgpu_texture(device, &shown, filter, id);
                id
            }
            None => egui.register_native_texture(device, &shown, FilterMode::Linear),
        };
        self.picture = Some(Picture { size, view, id });
    }
}

/// How the trees are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct View {
    /// How trees are shown.
    pub display: Display,
    /// Wood as curves through the ends of its pieces, with so many pieces of curve each; none: as bark.
    pub curves: Option<u32>,
    /// Light and air.
    pub settings: Settings,
}

fn is_software(gpu: &RenderState) -> bool {
    gpu.adapter.get_info().device_type == DeviceType::Cpu
}

/// Colours of overrides, in their order.
pub const OVERRIDE_COLOURS: [[u8; 4]; 6] = [
    [242, 153, 74, 255],
    [86, 180, 233, 255],
    [204, 121, 167, 255],
    [240, 228, 66, 255],
    [0, 158, 115, 255],
    [213, 94, 0, 255],
];

/// Bodies in the colour of the override that holds for them, others grey.
fn override_colours(tree: &treesway::Tree, seen: &[BodyId]) -> Vec<[u8; 4]> {
    let overrides = &tree.params().overrides;
    let mut which: Vec<Option<usize>> = Vec::with_capacity(tree.len());
    for id in tree.ids() {
        let own = overrides.iter().rposition(|o| o.body == id);
        let parent = tree.parent_of(id).and_then(|p| which[p.index()]);
        which.push(own.or(parent));
    }
    let colour = |w: Option<usize>| match w {
        Some(i) => OVERRIDE_COLOURS[i % OVERRIDE_COLOURS.len()],
        None => [120, 122, 116, 255],
    };
    seen.iter().map(|id| colour(which[id.index()])).collect()
}
