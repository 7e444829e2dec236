//! A run recorded from the first frame on and written as one file at its end.

use super::{Clip, GlbError, GlbOptions, GlbTree, Summary, ThingClip, write_glb};
use crate::scene::{Model, Simulation};
use crate::whole_file::{check_writable, write_whole};
use std::path::{Path, PathBuf};
use treesway::BodyId;
use treesway_skin::Skin;

/// Longest time over which the end of a loop is faded into its start, s: a few periods of twigs, about one of a tree.
const MOST_FADE_SECS: f64 = 2.0;

/// Which frames of a run are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frames {
    /// Frames of the run that the file shows, the first one not counted.
    pub shown: u64,
    /// Every how many of them one is kept, at least 1.
    pub every: u64,
    /// Whether the last frame leads back to the first.
    pub looped: bool,
}

/// Writes a run to a `.glb` file: [`create`](Self::create), then [`record`](Self::record) every frame of [`Frames::simulated`], then
/// [`finish`](Self::finish). Dropped before that, it leaves no file.
pub struct GlbWriter<'a> {
    output: PathBuf,
    frames: Frames,
    options: GlbOptions,
    trees: Vec<Recorded<'a>>,
    /// Of a loop none: what falls or walks by does not come back.
    things: ThingClip,
    /// Frames seen.
    seen: u64,
}

struct Recorded<'a> {
    model: &'a Model,
    skin: Skin,
    clip: Clip,
}

impl Frames {
    fn period(&self) -> u64 {
        self.shown / self.every
    }

    /// Kept frames that are simulated beyond the loop, to be faded into its start.
    fn fade(&self, frame_secs: f64) -> u64 {
        if !self.looped {
            return 0;
        }
        let most = (MOST_FADE_SECS / (frame_secs * self.every as f64)).round() as u64;
        (self.period() / 2).min(most).max(1)
    }

    /// How many frames have to be simulated.
    pub fn simulated(&self, frame_secs: f64) -> u64 {
        self.shown + self.fade(frame_secs) * self.every
    }
}

impl<'a> GlbWriter<'a> {
    /// Makes the meshes. Finds out now whether the file can be written at all.
    pub fn create(
        output: &Path,
        simulation: &Simulation,
        models: &'a [Model],
        frames: Frames,
        mut options: GlbOptions,
    ) -> Result<Self, GlbError> {
        if frames.looped && frames.period() < 2 {
            return Err(GlbError::ShortLoop {
                frames: frames.period(),
            });
        }
        check_writable(output)?;
        let world = simulation.world();
        let frame_secs = world.frame_secs() * frames.every as f64;
        if world.snow.is_some() {
            // Snow may lie on all of it.
            options.triangles /= 2;
        }
        let trees = models.iter().zip(world.trees());
        let trees = trees.map(|(model, tree)| {
            let skin = options.skin(&model.bodies, &model.look, models.len());
            let at = tree.pose(BodyId(0)).position - skin.rest[0].position;
            Recorded {
                clip: Clip::new(&model.bodies, at, frame_secs),
                skin,
                model,
            }
        });
        let things = if frames.looped {
            ThingClip::default()
        } else {
            ThingClip::new(world)
        };
        Ok(Self {
            output: output.into(),
            frames,
            trees: trees.collect(),
            things,
            options,
            seen: 0,
        })
    }

    /// Adds the state as it is now, if this frame is one of those kept. Call it once before the first step.
    pub fn record(&mut self, simulation: &Simulation) {
        if self.seen.is_multiple_of(self.frames.every) {
            for (recorded, tree) in self.trees.iter_mut().zip(simulation.world().trees()) {
                recorded.clip.record(tree);
            }
            self.things.record(simulation.world());
        }
        self.seen += 1;
    }

    /// Writes the file and says what is in it. `watch` is told the share of the work that is done and answers whether to go on; when it says no,
    /// nothing is left behind.
    pub fn finish(
        mut self,
        watch: &(dyn Fn(f32) -> bool + Sync),
    ) -> Result<Vec<Summary>, GlbError> {
        if self.frames.looped {
            let period = self.frames.period() as usize;
            for tree in &mut self.trees {
                tree.clip = tree.clip.looped(period);
            }
        }
        let count = self.trees.len();
        for tree in &mut self.trees {
            tree.tear(&self.options, count);
        }
        let trees: Vec<_> = self.trees.iter().map(Recorded::to_write).collect();
        let mut summaries = Vec::new();
        write_whole(&self.output, |file| {
            summaries = write_glb(&trees, &self.things, &self.options, file, watch)?;
            Ok::<_, GlbError>(())
        })?;
        Ok(summaries)
    }
}

impl Recorded<'_> {
    /// Ends the bark where branches break: the file has one mesh for all frames.
    fn tear(&mut self, options: &GlbOptions, trees: usize) {
        let broken = self.clip.broken();
        if !broken.is_empty() {
            let (bodies, look) = (&self.model.bodies, &self.model.look);
            let detail = options.detail(bodies, look, trees);
            self.skin.tear(bodies, look, &detail, &broken);
        }
    }

    fn to_write(&self) -> GlbTree<'_> {
        GlbTree {
            name: self.model.name.clone(),
            bodies: &self.model.bodies,
            skin: &self.skin,
            look: &self.model.look,
            at: self.clip.at(),
            motion: Some(&self.clip),
        }
    }
}
