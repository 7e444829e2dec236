//! Modes of a tree as a NumPy archive.

use super::RunError;
use super::archive::Archive;
use std::path::Path;
use treesway::Mode;

/// Writes `frequency_hz (k)`, `damping_ratio (k)` and `turns (k, n, 3)`: the turn of every joint in its joint frame, rad, by body id, scaled so that
/// the centre of mass that moves most moves by 1 m.
pub fn write_modes(output: &Path, modes: &[Mode]) -> Result<(), RunError> {
    let bodies = modes.first().map_or(0, |m| m.turns.len());
    let k = modes.len();
    let turns = modes
        .iter()
        .flat_map(|m| &m.turns)
        .flat_map(|t| t.to_array());
    let write = || {
        let mut archive = Archive::create(output)?;
        archive.put("frequency_hz", &[k], modes.iter().map(|m| m.frequency_hz))?;
        archive.put("damping_ratio", &[k], modes.iter().map(|m| m.damping_ratio))?;
        archive.put("turns", &[k, bodies, 3], turns)?;
        archive.finish(&|| true)
    };
    write().map_err(RunError::of(output))
}
