//! Where things are in the leaf texture and in the fruit texture; meshes and painters both ask here.

use treesway::glam::{Vec2, vec2};

/// Around a blade, so that small levels do not mix it with its neighbours.
const MARGIN: f32 = 1.0 / 64.0;
/// Right end of the blade's part.
const BLADE_END: f32 = 0.875;
/// Left end of the strip for stalks and twigs.
pub(super) const STRIP_START: f32 = 0.90625;
/// Lower end of the stalk's part of the fruit texture.
pub(super) const FRUIT_START: f32 = 0.0625;

/// Texture coordinates of a point of a blade: x from −½ to ½ across, y from base (0) to tip (1).
pub(crate) fn blade_uv(across: f32, along: f32) -> Vec2 {
    let width = BLADE_END - 2.0 * MARGIN;
    vec2(
        MARGIN + (across + 0.5) * width,
        MARGIN + (1.0 - along) * (1.0 - 2.0 * MARGIN),
    )
}

/// The reverse of [`blade_uv`].
pub(super) fn blade_point(uv: Vec2) -> Vec2 {
    vec2(
        (uv.x - MARGIN) / (BLADE_END - 2.0 * MARGIN) - 0.5,
        1.0 - (uv.y - MARGIN) / (1.0 - 2.0 * MARGIN),
    )
}

/// Texture coordinates of a stalk or twig: `across` from 0 to 1; `green` 0 for wood, 1 for a stalk.
pub(crate) fn strip_uv(across: f32, green: f32) -> Vec2 {
    let width = 1.0 - STRIP_START - 2.0 * MARGIN;
    vec2(
        STRIP_START + MARGIN + across * width,
        MARGIN + (1.0 - green) * (1.0 - 2.0 * MARGIN),
    )
}

/// Texture coordinates of the skin of a fruit: `around` and `down` from the stalk, both 0 to 1.
pub(crate) fn fruit_uv(around: f32, down: f32) -> Vec2 {
    let start = FRUIT_START + MARGIN;
    vec2(around, start + down * (1.0 - MARGIN - start))
}

/// Texture coordinates of the stalk of a fruit.
pub(crate) fn fruit_stalk_uv(around: f32, down: f32) -> Vec2 {
    vec2(around, FRUIT_START * (0.2 + 0.5 * down))
}
