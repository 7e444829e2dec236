// A tree of a crowd: where it is, and how its levels of detail fade into each other.

struct Species {
    middle: f32,      // half way up, m
    half_height: f32, // from there to the top, m
    half_width: f32,  // farthest from the vertical through the anchor, m
    roughness: f32,   // of leaves, mean
    translucency: f32,
}

override MOVES: bool = true; // set for each pipeline; false: trees stand still

struct LeafHold {
    base: vec3<f32>, // m
    padding: f32,
    turn: vec4<f32>,
}

@group(1) @binding(0) var<uniform> species: Species;
@group(1) @binding(1) var<uniform> spectral: SpectralFrame;
@group(1) @binding(2) var<storage, read> spectral_branches: array<SpectralBranch>;
@group(1) @binding(3) var<storage, read> spectral_phases: array<vec4<f32>>;
@group(1) @binding(4) var spectral_motion: texture_2d_array<f32>;
@group(1) @binding(5) var spectral_leaves: texture_2d_array<f32>;
@group(1) @binding(6) var<storage, read> holds: array<LeafHold>;

struct Plant {
    @location(10) place: vec3<f32>, // m
    @location(11) size: f32,
    @location(12) turn: vec2<f32>,  // cosine and sine of its yaw
    @location(13) lag: f32,         // how far its motion is ahead, s
    @location(14) fade: f32,        // see shown()
}

// From the tree's own axes into the world.
fn turned(turn: vec2<f32>, v: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(turn.x * v.x + turn.y * v.z, v.y, turn.x * v.z - turn.y * v.x);
}

// The wind in the tree's own axes.
fn wind_on(plant: Plant) -> vec3<f32> {
    return turned(vec2<f32>(plant.turn.x, -plant.turn.y), spectral.wind);
}

fn stood(plant: Plant, position: vec3<f32>) -> vec3<f32> {
    return plant.place + plant.size * turned(plant.turn, position);
}

// Whether a pixel shows this level of detail: random numbers below the share are the finer one's, the others (a negative share) the coarser one's.
// Interleaved gradient noise (Jimenez 2014): neighbouring pixels differ as much as they can.
fn shown(pixel: vec2<f32>, fade: f32) -> bool {
    let random = fract(52.9829189 * fract(dot(floor(pixel), vec2<f32>(0.06711056, 0.00583715))));
    if (fade < 0.0) {
        return random + fade >= 0.0;
    }
    return random < fade;
}

// How much of the sun is seen where the shadow map does not reach: what is open to the sky and on the sunny side of its crown sees most.
fn shade_by_crown(outward: vec3<f32>, openness: f32) -> f32 {
    let sunny = 0.5 + 0.5 * dot(outward, frame.to_sun);
    return clamp(openness * (0.25 + 1.1 * sunny) - 0.05, 0.0, 1.0);
}
