//! The trees themselves, and what the pointer does to them.

use crate::app::{Studio, Tool};
use crate::gizmo::Rings;
use crate::grip::{Grip, Hand, subtree, turn_further, wood_of};
use crate::orbit::Orbit;
use crate::stage::Stage;
use crate::theme::palette;
use crate::widgets::{arrow, prefixed};
use core::f32::consts::PI;
use eframe::egui::{
    self, Align2, CentralPanel, Color32, Event, FontId, PointerButton, Pos2, Rect, Response, Sense,
    Stroke, TouchPhase, Ui, pos2, vec2,
};
use treesway::glam::Vec3;
use treesway::{Ball, Body, BodyId, BodyKind, Solver, Tree, TreeId};
use treesway_io::scene::{BodyPlace, RunTable};
use treesway_render::Sun;

impl Studio {
    /// The viewport.
    pub(crate) fn central(&mut self, ui: &mut Ui) {
        CentralPanel::no_frame().show(ui, |ui| {
            let (rect, response) =
                ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
            response
                .widget_info(|| egui::WidgetInfo::labeled(egui::Role::Canvas, true, "Viewport"));
            if self.errand.is_some() {
                // A finger that lets go now is not forgotten.
                self.use_touches(ui, rect);
                self.lead_camera(ui, &response, rect);
                self.paint_viewport(ui, rect);
                return;
            }
            if self.stage.is_none() {
                ui.painter().rect_filled(rect, 0, palette(ui).card);
                let font = FontId::proportional(16.0);
                let text = if self.is_growing() {
                    "Growing …"
                } else {
                    "Nothing has grown"
                };
                ui.painter().text(
                    rect.center(),
                    Align2::CENTER_CENTER,
                    text,
                    font,
                    palette(ui).faint,
                );
                return;
            }
            self.frame_once(rect);
            // First: the camera stays where it is while a hand holds something.
            self.use_tool(ui, &response, rect);
            self.lead_camera(ui, &response, rect);
            self.paint_viewport(ui, rect);
            self.paint_overlays(ui, rect);
        });
    }

    fn frame_once(&mut self, rect: Rect) {
        if self.unframed && !self.is_growing() {
            self.unframed = false;
            if let (Some(bounds), Some(stage)) = (self.bounds(None), &self.stage) {
                let (camera, sun) = (&stage.file().camera, &stage.file().sun);
                self.orbit = Orbit::of(camera, bounds, rect.width() / rect.height());
                let default = Sun::default();
                self.view.settings.sun = Sun {
                    azimuth_deg: sun.azimuth_deg.unwrap_or(default.azimuth_deg),
                    elevation_deg: sun.elevation_deg.unwrap_or(default.elevation_deg),
                };
            }
        }
        self.rect = rect;
    }

    /// The box around a subtree, or around everything that is on its tree.
    fn bounds(&self, of: Option<(TreeId, BodyId)>) -> Option<[Vec3; 2]> {
        let mut bounds = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        for (i, (tree, offset)) in self.stage.as_ref()?.shown().enumerate() {
            let body = match of {
                Some((chosen, body)) if chosen.0 == i => Some(body),
                Some(_) => continue,
                None => None,
            };
            let within = subtree(tree, body);
            for id in tree.ids() {
                if within[id.index()] && tree.is_attached(id) {
                    for point in [tree.pose(id).position, tree.tip(id)] {
                        let point = point + offset;
                        bounds = [bounds[0].min(point), bounds[1].max(point)];
                    }
                }
            }
        }
        bounds[0].is_finite().then_some(bounds)
    }

    /// Looks at the chosen branch, or at everything.
    pub(crate) fn frame_selection(&mut self) {
        if let Some(bounds) = self.bounds(self.selected) {
            self.orbit = self
                .orbit
                .looking_at(bounds, self.rect.width() / self.rect.height());
        }
    }

    /// Shakes the ground under all trees for a second.
    pub(crate) fn shake(&mut self) {
        if let Some(stage) = &mut self.stage {
            stage.apply(Stage::shake);
        }
    }

    fn lead_camera(&mut self, ui: &Ui, response: &Response, rect: Rect) {
        if !self.grips.is_empty() || self.turn.is_some() {
            return;
        }
        if let Some(touch) = ui.input(|i| i.multi_touch()) {
            self.orbit.zoom(touch.zoom_delta);
            self.orbit.pan(touch.translation_delta, rect);
            return;
        }
        if response.contains_pointer() {
            let (scroll, pinch) = ui.input(|i| (i.smooth_scroll_delta().y, i.zoom_delta()));
            self.orbit.zoom(pinch * (scroll * 0.0025).exp());
        }
        let drag = response.drag_delta();
        let shift = ui.input(|i| i.modifiers.shift);
        let pans = response.dragged_by(PointerButton::Middle) || (response.dragged() && shift);
        if pans {
            self.orbit.pan(drag, rect);
        } else if response.dragged() {
            self.orbit.turn(drag);
        }
    }

    fn use_tool(&mut self, ui: &Ui, response: &Response, rect: Rect) {
        let pointer = response.hover_pos().or(response.interact_pointer_pos());
        let hover = pointer.filter(|_| self.grips.is_empty());
        self.hover(ui, hover, rect);
        self.use_touches(ui, rect);
        // With a finger, egui moves the pointer, too.
        if !ui.input(|i| i.any_touches()) {
            self.use_pointer(ui, response, rect);
        }
        if response.clicked() {
            match pointer {
                Some(at) if self.tool == Tool::Throw => self.throw_at(at, rect),
                _ => self.click(ui.ctx()),
            }
        }
    }

    /// What is under the pointer is looked for as often as takes a tenth of the time, and whenever a button is used: of a hundred thousand drawn leaves it takes longer than a frame.
    fn hover(&mut self, ui: &Ui, at: Option<Pos2>, rect: Rect) {
        let used = ui.input(|i| i.pointer.any_pressed() || i.pointer.any_released());
        let now = web_time::Instant::now();
        if at.is_some() && !used && self.hover_again.is_some_and(|again| now < again) {
            return;
        }
        self.hovered = at.and_then(|at| self.under(at, rect));
        self.hover_again = Some(now + now.elapsed() * 10);
    }

    fn use_touches(&mut self, ui: &Ui, rect: Rect) {
        let touches = ui.input(|i| {
            let touches = i.events.iter().filter_map(|event| match event {
                Event::Touch { id, phase, pos, .. } => Some((Hand::Finger(id.0), *phase, *pos)),
                _ => None,
            });
            touches.collect::<Vec<_>>()
        });
        for (hand, phase, at) in touches {
            match phase {
                TouchPhase::Start if self.is_free(ui, at, rect) => self.take_hold(hand, at, rect),
                TouchPhase::Start => {}
                TouchPhase::Move => self.lead(hand, at, rect),
                TouchPhase::End | TouchPhase::Cancel => self.release(ui.ctx(), hand),
            }
        }
    }

    /// What is drawn at a point of the window.
    fn under(&self, at: Pos2, rect: Rect) -> Option<(usize, crate::pick::Hit)> {
        let stage = self.stage.as_ref()?;
        self.viewport.pick(stage, &self.orbit, &self.view, at, rect)
    }

    fn use_pointer(&mut self, ui: &Ui, response: &Response, rect: Rect) {
        let (shift, origin) = ui.input(|i| (i.modifiers.shift, i.pointer.press_origin()));
        if response.drag_started_by(PointerButton::Primary)
            && !shift
            && let Some(at) = origin
        {
            self.take_hold(Hand::Pointer, at, rect);
        }
        if let Some(at) = response.interact_pointer_pos() {
            self.lead(Hand::Pointer, at, rect);
        }
        if !response.is_pointer_button_down_on() {
            self.release(ui.ctx(), Hand::Pointer);
        }
    }

    /// Whether nothing but the trees is under a finger.
    fn is_free(&self, ui: &Ui, at: Pos2, rect: Rect) -> bool {
        let above = ui.ctx().layer_id_at(at);
        let covered = above.is_some_and(|layer| layer != ui.layer_id());
        rect.contains(at) && !covered && !self.tool_place(rect).contains(at)
    }

    fn take_hold(&mut self, hand: Hand, at: Pos2, rect: Rect) {
        if !matches!(self.tool, Tool::Pull | Tool::Bend) {
            return;
        }
        if self.turn.is_none()
            && let Some(rings) = self.rings(rect)
            && let Some(turn) = rings.take(hand, at, &self.orbit, rect)
        {
            self.turn = Some(turn);
            return;
        }
        let Some((tree, hit)) = self.under(at, rect) else {
            return;
        };
        let ray = self.orbit.ray(at, rect);
        if let Some(stage) = &mut self.stage
            && let Some((grip, pull)) =
                Grip::take(stage, &self.orbit, &ray, tree, &hit, self.strength)
        {
            let id = grip.tree;
            stage.apply(move |stage| stage.hold(hand, id, pull));
            self.grips.push((hand, grip));
            self.clock.paused = false;
        }
    }

    /// Rings about the joint of the chosen branch, with the tool Bend.
    pub(crate) fn rings(&self, rect: Rect) -> Option<Rings> {
        let (id, body) = self.selected.filter(|_| self.tool == Tool::Bend)?;
        let tree = self.stage.as_ref()?.simulation.world().tree(id);
        tree.is_attached(body)
            .then(|| Rings::of(tree, body, &self.orbit, rect))
    }

    /// A hand has moved.
    fn lead(&mut self, hand: Hand, at: Pos2, rect: Rect) {
        if let Some(turn) = self.turn.as_mut().filter(|turn| turn.hand == hand) {
            turn.follow(at, &self.orbit, rect);
        }
        if let Some(stage) = &mut self.stage
            && let Some((_, grip)) = self.grips.iter_mut().find(|(by, _)| *by == hand)
        {
            grip.follow(&self.orbit, at, rect);
            let target = grip.target;
            stage.apply(move |stage| stage.lead(hand, target));
        }
    }

    /// A hand lets go; with the tool Bend the bend is kept.
    pub(crate) fn release(&mut self, window: &egui::Context, hand: Hand) {
        if self.let_go_when_back(hand) {
            return;
        }
        if let Some(turn) = self.turn.take_if(|turn| turn.hand == hand)
            && let (Some((id, body)), Some(stage)) = (self.selected, &self.stage)
        {
            let mut poses = stage.file().trees[id.0].poses.clone();
            turn_further(&mut poses, body, turn.turn());
            let path = format!("tree.{}.pose", id.0);
            self.edit(window, "Turn a branch", |project| project.set(&path, poses));
        }
        let Some(which) = self.grips.iter().position(|(by, _)| *by == hand) else {
            return;
        };
        let (_, grip) = self.grips.remove(which);
        let Some(stage) = &mut self.stage else {
            return;
        };
        let table = &stage.file().trees[grip.tree.0];
        let first = self.selected.filter(|_| self.bend_chosen);
        let first = first.filter(|chosen| chosen.0 == grip.tree);
        let bent = (self.tool == Tool::Bend && grip.moved)
            .then(|| grip.kept(stage, &table.poses, first.map(|chosen| chosen.1)));
        let path = format!("tree.{}.pose", grip.tree.0);
        stage.apply(move |stage| stage.let_go(hand));
        if let Some(kept) = bent {
            self.edit(window, "Bend a branch", |project| project.set(&path, kept));
        }
    }

    fn click(&mut self, window: &egui::Context) {
        let Some((tree, hit)) = self.hovered else {
            self.selected = None;
            return;
        };
        let Some(stage) = &mut self.stage else {
            return;
        };
        let id = TreeId(tree);
        if !stage.is_planted(id) {
            return;
        }
        let tree = stage.simulation.world().tree(id);
        let body = wood_of(tree, hit.body);
        match self.tool {
            Tool::Cut if tree.parent_of(body).is_some() => {
                let gone = stage.apply(move |stage| {
                    let worlds = stage.worlds_mut();
                    let gone = worlds.map(|world| world.tree_mut(id).cut(body).len());
                    gone.max().unwrap_or(0)
                });
                self.say(format!("{gone} bodies are off; Restart brings them back"));
            }
            Tool::Squirrel if tree.is_attached(body) => self.send_squirrel(window, id, body),
            Tool::Cut | Tool::Squirrel | Tool::Throw => {}
            Tool::Pull | Tool::Bend | Tool::Look => {
                self.selected = Some((id, body));
                self.trace.start(stage, self.selected);
            }
        }
    }

    /// Throws a ball from below the eye such that it meets what is under the pointer.
    fn throw_at(&mut self, at: Pos2, rect: Rect) {
        let ray = self.orbit.ray(at, rect);
        let reach = self.under(at, rect).map(|(_, hit)| hit.distance);
        let target = ray.at(reach.unwrap_or(self.orbit.distance));
        let Some(stage) = &mut self.stage else {
            return;
        };
        let start = ray.origin + Vec3::NEG_Y * 0.4 + ray.direction * 0.3;
        let gravity = stage.simulation.world().gravity;
        let secs = (target.distance(start) / self.throw.speed).max(1e-3);
        let ball = Ball {
            position: start.max(Vec3::new(f32::MIN, self.throw.radius, f32::MIN)),
            // Thrown as much upwards as it falls on its way.
            velocity: (target - start) / secs - gravity * (0.5 * secs),
            radius: self.throw.radius,
            mass: self.throw.mass,
            ..Ball::default()
        };
        stage.apply(move |stage| stage.worlds_mut().for_each(|world| _ = world.throw(ball)));
        self.clock.paused = false;
    }

    /// Makes a branch the end of the squirrel's way: on its own tree it runs there, from the root if it comes from nowhere; to another tree it leaps, and runs
    /// on to the trunk.
    fn send_squirrel(&mut self, window: &egui::Context, tree: TreeId, body: BodyId) {
        let Some(stage) = &self.stage else {
            return;
        };
        let way = stage.file().creatures.first().map(|c| c.runs.clone());
        // One that lies on the ground is sent anew.
        let there = stage.simulation.world().creatures().first();
        let way = way.filter(|_| there.is_none_or(|squirrel| !squirrel.has_fallen()));
        let mut way = way.unwrap_or_default();
        let here = BodyPlace::Id(body.0);
        let (from, to) = match way.last() {
            None => (BodyPlace::Root, here),
            Some(last) if last.tree == tree.0 => (last.to, here),
            Some(_) => (here, BodyPlace::Root),
        };
        if from == to {
            return;
        }
        way.push(RunTable {
            tree: tree.0,
            from,
            to,
        });
        self.edit(window, "Squirrel", |p| p.set_first("creature", "run", way));
    }

    fn paint_viewport(&mut self, ui: &Ui, rect: Rect) {
        let scale = ui.ctx().pixels_per_point();
        let size = [rect.width() * scale, rect.height() * scale].map(|edge| edge.round() as u32);
        let blend = self.blend();
        let start = web_time::Instant::now();
        let (orbit, view) = (&self.orbit, &self.view);
        let picture = match &self.stage {
            Some(stage) => self.viewport.draw(stage, orbit, view, blend, size),
            None => self.viewport.draw_again(orbit, view, size),
        };
        self.draw_ms.note(start.elapsed().as_secs_f32() * 1e3);
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        ui.painter().image(picture, rect, whole, Color32::WHITE);
    }

    fn paint_overlays(&mut self, ui: &mut Ui, rect: Rect) {
        let painter = ui.painter_at(rect);
        let colours = palette(ui);
        let Some(stage) = &self.stage else {
            return;
        };
        let world = stage.simulation.world();
        if let Some((id, body)) = self.selected {
            let tree = world.tree(id);
            let ends = [tree.pose(body).position, tree.tip(body)];
            let [from, to] = ends.map(|point| self.orbit.project(point, rect));
            if let (Some(from), Some(to)) = (from, to) {
                painter.line_segment([from, to], Stroke::new(4.0, colours.accent));
                painter.circle(from, 5.0, colours.card, Stroke::new(2.0, colours.accent));
            }
        }
        match (&self.turn, self.rings(rect)) {
            (Some(turn), _) => turn.paint(&painter, &self.orbit, rect, colours),
            (None, Some(rings)) => rings.paint(&painter, &self.orbit, rect),
            (None, None) => {}
        }
        for (hand, grip) in &self.grips {
            let Some(force) = stage.force_of(*hand) else {
                continue;
            };
            let ends =
                [grip.held_at(stage), grip.target].map(|point| self.orbit.project(point, rect));
            if let [Some(from), Some(to)] = ends {
                arrow(&painter, from, to, Stroke::new(3.0, colours.force));
                painter.circle_filled(from, 5.0, colours.force);
                let text = format!("{:.0} N", force.length());
                let at = to + vec2(10.0, -10.0);
                painter.text(
                    at,
                    Align2::LEFT_BOTTOM,
                    text,
                    FontId::proportional(14.0),
                    colours.force,
                );
            }
        }
        let hint = self
            .hovered
            .filter(|_| self.grips.is_empty())
            .map(|(tree, hit)| describe(world.tree(TreeId(tree)), hit.body));
        if let (Some(text), Some(at)) = (hint, ui.ctx().pointer_hover_pos()) {
            hint_box(ui, rect, at, &text);
        }
        self.name_solvers(ui, rect);
        self.legend(ui, rect);
        if matches!(self.tool, Tool::Pull | Tool::Bend | Tool::Throw) {
            let place = self.tool_place(rect);
            let mut over = ui.new_child(egui::UiBuilder::new().max_rect(place));
            egui::Frame::new()
                .fill(colours.panel.gamma_multiply(0.85))
                .corner_radius(8)
                .inner_margin(egui::Margin::symmetric(10, 4))
                .show(&mut over, |ui| self.tool_rows(ui));
        }
        if let Some(secs) = self.too_slow {
            self.slowness_card(ui, rect, secs);
        }
        if ui.input(|i| !i.raw.hovered_files.is_empty()) {
            painter.rect_filled(rect, 0, colours.panel.gamma_multiply(0.7));
            let font = FontId::proportional(18.0);
            let text = "Drop it: a scene, a species, a grammar or a scanned tree";
            painter.text(
                rect.center(),
                Align2::CENTER_CENTER,
                text,
                font,
                colours.text,
            );
        }
    }

    /// Why the clock was stopped, and how to go on.
    fn slowness_card(&mut self, ui: &mut Ui, rect: Rect, secs: f64) {
        let size = vec2(400.0, 120.0);
        let place = Rect::from_center_size(rect.center(), size);
        let mut over = ui.new_child(egui::UiBuilder::new().max_rect(place));
        let frame = egui::Frame::new()
            .fill(palette(ui).panel.gamma_multiply(0.95))
            .corner_radius(8)
            .inner_margin(egui::Margin::same(12));
        let window = ui.ctx().clone();
        frame.show(&mut over, |ui| {
            ui.label(format!(
                "A step of these trees takes {secs:.1} s, for which the window would stand still: time was stopped."
            ));
            ui.add_space(6.0);
            ui.horizontal(|ui| {
                let meets_itself = self.stage.as_ref().is_some_and(|stage| stage.is_unsteady());
                let (faster, tip) = if meets_itself {
                    ("Let them pass through themselves", "Solver Coupled, without contacts")
                } else {
                    ("Move fewer bodies", "As many as hold the frame rate, thick wood first; the others follow rigidly")
                };
                if ui.button(faster).on_hover_text(tip).clicked() {
                    self.go_on_faster(&window);
                }
                let tip = "The window answers between two steps only";
                if ui.button("Go on all the same").on_hover_text(tip).clicked() {
                    self.go_on_slowly();
                }
            });
        });
    }

    /// Where the tool is set.
    fn tool_place(&self, rect: Rect) -> Rect {
        let height = match self.tool {
            Tool::Throw => 108.0,
            Tool::Bend => 74.0,
            _ => 40.0,
        };
        Rect::from_min_size(rect.left_top() + vec2(10.0, 10.0), vec2(300.0, height))
    }

    /// Under trees that stand beside each other, how they move and how long that takes.
    fn name_solvers(&self, ui: &Ui, rect: Rect) {
        let Some((stage, twin)) = self
            .stage
            .as_ref()
            .and_then(|s| Some((s, s.twin.as_ref()?)))
        else {
            return;
        };
        let own = stage.simulation.world().tree(TreeId(0));
        let root = own.pose(BodyId(0)).position;
        let both = [
            (own.settings().solver, Vec3::ZERO),
            (twin.solver, twin.offset),
        ];
        for ((solver, offset), times) in both.into_iter().zip(&self.stage_ms) {
            let Some(at) = self.orbit.project(root + offset, rect) else {
                continue;
            };
            let text = format!(
                "{}  {:.2} ms",
                solver_name(solver),
                times.iter().sum::<f32>()
            );
            hint_box(ui, rect, at + vec2(-60.0, 4.0), &text);
        }
    }

    /// What colours stand for.
    fn legend(&self, ui: &Ui, rect: Rect) {
        use crate::viewport::Display;
        use treesway_render::ColourBy;
        let Display::By(by) = self.view.display else {
            return;
        };
        let Some([least, most]) = self.viewport.colour_range().filter(|r| r[1] >= r[0]) else {
            return;
        };
        let (name, unit) = match by {
            ColourBy::Stiffness => ("Stiffness", "N·m/rad"),
            ColourBy::Radius => ("Radius", "m"),
            ColourBy::Stress => ("Bending stress", "Pa"),
            ColourBy::BranchOrder => ("Branch order", ""),
            ColourBy::Speed => ("Speed", "m/s"),
        };
        let value = |value: f32| match by {
            ColourBy::BranchOrder => format!("{value:.0}"),
            _ => prefixed(value.into(), unit),
        };
        let text = format!("{name}: dark {} … light {}", value(least), value(most));
        hint_box(ui, rect, rect.left_bottom() + vec2(0.0, -44.0), &text);
    }
}

/// What a solver is called.
pub fn solver_name(solver: Solver) -> &'static str {
    match solver {
        Solver::Coupled => "Coupled",
        Solver::Analytic => "Analytic",
        Solver::Particles => "Particles",
        Solver::Spectral => "Spectral",
        Solver::Contact => "Contact",
        Solver::Explicit => "Explicit",
    }
}

/// Text in a box near a point, within the viewport.
fn hint_box(ui: &Ui, rect: Rect, at: Pos2, text: &str) {
    let colours = palette(ui);
    let painter = ui.painter_at(rect);
    let font = FontId::proportional(12.0);
    let galley = painter.layout_no_wrap(text.to_owned(), font, colours.text);
    let size = galley.size() + vec2(16.0, 10.0);
    let room = rect.shrink(6.0);
    let corner = (at + vec2(14.0, 12.0)).min(room.max - size).max(room.min);
    let place = Rect::from_min_size(corner, size);
    painter.rect_filled(place, 6, colours.panel.gamma_multiply(0.92));
    painter.galley(corner + vec2(8.0, 5.0), galley, colours.text);
}

/// Bending stress at the surface of a joint, σ = M r / I with I = π r⁴ / 4, Pa.
fn stress(body: &Body) -> f32 {
    let moment = (body.stiffness * (body.theta - body.rest_theta))
        .truncate()
        .length();
    4.0 * moment / (PI * body.radius[0].powi(3))
}

/// What a body is and does, in a few words.
pub fn describe(tree: &Tree, id: BodyId) -> String {
    let body = tree.body(id);
    let off = if tree.is_attached(id) {
        ""
    } else {
        ", off the tree"
    };
    match body.kind {
        BodyKind::Segment => format!(
            "Branch {}{off}\nradius {:.2} cm, length {:.1} cm\nstiffness {}\nbending stress {:.2} MPa",
            body.branch,
            body.radius[0] * 100.0,
            body.length * 100.0,
            prefixed(body.stiffness.x.min(body.stiffness.y).into(), "N·m/rad"),
            stress(&body) * 1e-6
        ),
        BodyKind::Leaf => format!(
            "Leaf of branch {}{off}\nlength {:.1} cm, {:.2} g",
            body.branch,
            body.length * 100.0,
            body.mass * 1000.0
        ),
        BodyKind::Fruit => format!(
            "Fruit of branch {}{off}\n{:.0} g",
            body.branch,
            body.mass * 1000.0
        ),
    }
}
