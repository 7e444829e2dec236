// What every shader knows of a frame, and light. `gpu_data.rs` holds the same struct.
// Colours are linear; light is in units in which a white surface square to the sun has the radiance `sun`.

struct Frame {
    clip_from_world: mat4x4<f32>,
    world_from_clip: mat4x4<f32>,
    shadow_from_world: mat4x4<f32>, // x, y: −1 to 1 over the shadow map, z: 0 to 1 from the sun
    eye: vec3<f32>,                 // m
    options: u32,                   // bits, below; from 256 on how much snow lies, 0 to 255
    to_sun: vec3<f32>,
    shadow_texel: f32,              // edge of a texel of the shadow map, m
    sun: vec3<f32>,
    exposure: f32,
    zenith: vec3<f32>,
    fog: f32,                       // share of light lost, 1/m
    horizon: vec3<f32>,
    ground_height: f32,             // m
    bounce: vec3<f32>,              // light from the ground, as if it were a dome below
    crown_radius: f32,              // of what stands on the ground, m
    crown: vec3<f32>,               // its middle, m
    pixel_angle: f32,               // of one pixel, rad
    meadow: vec2<f32>,              // middle of the grass, m
    meadow_cell: f32,               // edge of the square that one blade has, m
    translucency: f32,              // factor on light through leaves
}

const TEXTURES: u32 = 1u;
const SHADOW: u32 = 2u;
const LIGHTING: u32 = 4u;
const FLAT: u32 = 8u;      // faces instead of smooth surfaces, plain colours
const COLOURED: u32 = 16u; // every body in the colour it was given

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var shadow_map: texture_depth_2d;
@group(0) @binding(2) var shadow_sampler: sampler_comparison;

// Set for each pipeline.
override SAMPLES: u32 = 1u;     // of a pixel
override SHADOW_TAPS: u32 = 1u; // comparisons for a soft shadow
override DETAIL: bool = false;  // relief, roughness, clouds
override GRASS_ROW: u32 = 1u;   // blades in a row of the meadow
override ENCODE: bool = false;  // the target does not turn linear into sRGB by itself

fn on(option: u32) -> bool {
    return (frame.options & option) != 0u;
}

// How much snow lies on the ground, 0 to 1.
fn snow_on_ground() -> f32 {
    return f32((frame.options >> 8u) & 255u) / 255.0;
}

// A colour under so much snow, on a surface of that normal: first where it faces up, then on its sides.
fn snowed(albedo: vec3<f32>, normal: vec3<f32>, snow: f32) -> vec3<f32> {
    let edge = 0.9 - 0.85 * snow;
    let cover = snow * smoothstep(edge - 0.25, edge + 0.15, normal.y);
    return mix(albedo, vec3<f32>(0.80, 0.83, 0.88), clamp(cover * 1.4, 0.0, 1.0));
}

fn luminance(colour: vec3<f32>) -> f32 {
    return dot(colour, vec3<f32>(0.2126, 0.7152, 0.0722));
}

// Whole numbers to 0 … 1 (PCG, one round, on two dimensions).
fn hash(p: vec2<i32>) -> f32 {
    var h = bitcast<u32>(p.x) * 1664525u + bitcast<u32>(p.y) * 22695477u + 1013904223u;
    h = ((h >> ((h >> 28u) + 4u)) ^ h) * 277803737u;
    h = (h >> 22u) ^ h;
    return f32(h >> 8u) / 16777216.0;
}

// Smooth noise, 0 … 1, one bump per unit.
fn noise(p: vec2<f32>) -> f32 {
    let cell = vec2<i32>(floor(p));
    let f = fract(p);
    let u = f * f * (3.0 - 2.0 * f);
    let low = mix(hash(cell), hash(cell + vec2<i32>(1, 0)), u.x);
    let high = mix(hash(cell + vec2<i32>(0, 1)), hash(cell + vec2<i32>(1, 1)), u.x);
    return mix(low, high, u.y);
}

// Sum of octaves, each half as strong and turned against the last, 0 … 1.
fn fractal(p: vec2<f32>, octaves: u32) -> f32 {
    var at = p;
    var sum = 0.0;
    var strength = 0.5;
    for (var i = 0u; i < octaves; i += 1u) {
        sum += strength * noise(at);
        at = mat2x2<f32>(1.6, 1.2, -1.2, 1.6) * at + vec2<f32>(17.0, 29.0);
        strength *= 0.5;
    }
    return sum / (1.0 - strength * 2.0);
}

// How much of the sun is seen where the shadow map does not reach; crowds, which reach farther, set it.
var<private> far_shade: f32 = 1.0;

// How much of the sun is seen from a point: comparisons over a disc of `radius` m, on a Vogel spiral that starts at `turn`.
fn sunlit(world: vec3<f32>, normal: vec3<f32>, radius: f32, turn: f32) -> f32 {
    if (!on(SHADOW)) {
        return 1.0;
    }
    // Off the surface by what a texel spans, so that it does not shade itself.
    let lifted = world + normal * frame.shadow_texel * 1.5 + frame.to_sun * frame.shadow_texel;
    let at = frame.shadow_from_world * vec4<f32>(lifted, 1.0);
    let uv = at.xy * vec2<f32>(0.5, -0.5) + 0.5;
    if (any(uv < vec2<f32>(0.0)) || any(uv > vec2<f32>(1.0))) {
        return far_shade;
    }
    // What lies behind all that casts shadows is in their shadow, too.
    let depth = min(at.z, 1.0);
    let size = f32(textureDimensions(shadow_map).x);
    let reach = max(radius / frame.shadow_texel, 0.75) / size;
    var seen = 0.0;
    for (var i = 0u; i < SHADOW_TAPS; i += 1u) {
        let angle = turn + f32(i) * 2.3999632;
        let away = sqrt((f32(i) + 0.5) / f32(SHADOW_TAPS)) * reach;
        let tap = uv + vec2<f32>(cos(angle), sin(angle)) * select(away, 0.0, SHADOW_TAPS == 1u);
        seen += textureSampleCompareLevel(shadow_map, shadow_sampler, tap, depth);
    }
    // Up to its edge it goes over into what is thought to be seen beyond.
    let edge = smoothstep(0.8, 1.0, max(abs(at.x), abs(at.y)));
    return mix(seen / f32(SHADOW_TAPS), far_shade, edge);
}

// Light of sky and ground on a surface that faces `normal`.
fn ambient(normal: vec3<f32>) -> vec3<f32> {
    let up = 0.5 + 0.5 * normal.y;
    let sky = mix(frame.horizon, frame.zenith, 0.65);
    // The half of the sky around the sun is brighter.
    let glow = frame.sun * 0.05 * (0.5 + 0.5 * dot(normal, frame.to_sun));
    return mix(frame.bounce, sky + glow, up);
}

// Reflection of the sun by a rough surface (GGX, dielectric).
fn highlight(normal: vec3<f32>, to_eye: vec3<f32>, roughness: f32) -> f32 {
    let halfway = normalize(to_eye + frame.to_sun);
    let a = roughness * roughness;
    let n_h = max(dot(normal, halfway), 0.0);
    let n_l = max(dot(normal, frame.to_sun), 0.0);
    let v_h = max(dot(to_eye, halfway), 0.0);
    let d = n_h * n_h * (a * a - 1.0) + 1.0;
    let fresnel = 0.04 + 0.96 * pow(1.0 - v_h, 5.0);
    // Visibility by Kelemen: 1 / (4 v_h²); π is in the unit of light.
    return fresnel * n_l * a * a / (d * d * max(4.0 * v_h * v_h, 0.1));
}

// Colour of the clear sky.
fn sky(direction: vec3<f32>) -> vec3<f32> {
    let height = max(direction.y, 0.0);
    let towards = max(dot(direction, frame.to_sun), 0.0);
    var colour = mix(frame.horizon, frame.zenith, 1.0 - exp(-3.6 * height));
    // Haze lights up around the sun, more so near the horizon.
    let haze = exp(-4.0 * height);
    let warm = frame.sun * vec3<f32>(1.12, 0.96, 0.72);
    colour += warm * (0.13 * pow(towards, 6.0) * (0.30 + haze) + 0.20 * pow(towards, 40.0) + 0.8 * pow(towards, 600.0));
    return colour;
}

// Share of light that comes through so many metres of air. Woods end the view at about a kilometre.
fn air_leaves(metres: f32) -> f32 {
    return exp(-frame.fog * min(metres, 900.0));
}

// Air between the eye and a point takes on the colour of the sky behind it.
fn through_air(colour: vec3<f32>, world: vec3<f32>) -> vec3<f32> {
    let away = world - frame.eye;
    let metres = length(away);
    if (!DETAIL) {
        return mix(frame.horizon, colour, air_leaves(metres));
    }
    let level = vec3<f32>(away.x, max(away.y, 0.02 * metres), away.z);
    return mix(sky(normalize(level)), colour, air_leaves(metres));
}

// Filmic curve: each channel answers as a photoreceptor does (Naka and Rushton 1966), y = xⁿ / (xⁿ + sⁿ), with s such that middle grey
// stays where it is; a little of each channel goes over to the others before, so that bright colours whiten instead of clipping.
fn tone(light: vec3<f32>) -> vec3<f32> {
    let n = 1.45;
    let grey = 0.18;
    let s = grey * pow((1.0 - grey) / grey, 1.0 / n);
    let exposed = max(light * frame.exposure, vec3<f32>(0.0));
    let whitened = mix(exposed, vec3<f32>(luminance(exposed)), 0.05);
    let x = pow(whitened, vec3<f32>(n));
    let y = x / (x + pow(s, n));
    return y;
}

fn encoded(linear: vec3<f32>) -> vec3<f32> {
    let low = linear * 12.92;
    let high = 1.055 * pow(linear, vec3<f32>(1.0 / 2.4)) - 0.055;
    return select(high, low, linear <= vec3<f32>(0.0031308));
}

// What is written. The curve comes before samples are averaged, so that a dark leaf before a bright sky has a smooth edge.
fn developed(light: vec3<f32>) -> vec4<f32> {
    return as_written(tone(light));
}

// Colours that are not light: data, lines.
fn as_written(linear: vec3<f32>) -> vec4<f32> {
    return vec4<f32>(select(linear, encoded(linear), ENCODE), 1.0);
}
