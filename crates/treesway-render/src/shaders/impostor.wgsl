// Trees far away: pictures on a strip that faces the camera. `crowd/impostor.rs` takes them.

@group(2) @binding(0) var tile_colour: texture_2d_array<f32>;  // alpha: covered share; all else is multiplied by it
@group(2) @binding(1) var tile_normal: texture_2d_array<f32>;  // and the share of leaves
@group(2) @binding(2) var tile_outward: texture_2d_array<f32>; // and openness
@group(2) @binding(3) var tile_sampler: sampler;

const SIDES: f32 = 8.0;
const ELEVATION: f32 = 0.5235988; // of the second ring of pictures, 30°
const ROWS: u32 = 4u;             // of the strip

struct ImpostorPoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) uv: vec2<f32>,
    @location(2) @interpolate(flat) right: vec3<f32>, // the picture's axes in the world
    @location(3) @interpolate(flat) up: vec3<f32>,
    @location(4) @interpolate(flat) fade: f32,
    @location(5) @interpolate(flat) layer: u32,
}

@vertex
fn impostor_point(@builtin(vertex_index) index: u32, plant: Plant) -> ImpostorPoint {
    let middle = vec3<f32>(0.0, species.middle, 0.0);
    let away = frame.eye - stood(plant, middle);
    // In the tree's own axes.
    let seen_from = turned(vec2<f32>(plant.turn.x, -plant.turn.y), away);
    let azimuth = atan2(seen_from.z, seen_from.x);
    let above = atan2(seen_from.y, length(seen_from.xz));
    let high = above > 0.5 * ELEVATION;
    let side = u32(round(azimuth / 6.2831853 * SIDES) + SIDES) % u32(SIDES);
    let elevation = select(0.0, ELEVATION, high);
    let level = vec3<f32>(cos(azimuth), 0.0, sin(azimuth));
    let towards = level * cos(elevation) + vec3<f32>(0.0, sin(elevation), 0.0);
    let right = normalize(cross(vec3<f32>(0.0, 1.0, 0.0), towards));
    let up = cross(towards, right);
    let half_height = species.half_height * cos(elevation) + species.half_width * sin(elevation);

    let corner = vec2<f32>(f32(index & 1u), f32(index >> 1u) / f32(ROWS));
    let across = right * ((corner.x * 2.0 - 1.0) * species.half_width);
    let upward = up * ((corner.y * 2.0 - 1.0) * half_height);
    var point: ImpostorPoint;
    var position = middle + across + upward;
    if (MOVES) {
        // It bends as the trunk does.
        let trunk = spectral_branches[0];
        let along = clamp(dot(position - trunk.origin, trunk.axis) / trunk.length, 0.0, 1.0);
        position = spectral_bark(position, towards, 0u, along, plant.lag, wind_on(plant)).position;
    }
    point.world = stood(plant, position);
    point.uv = vec2<f32>(corner.x, 1.0 - corner.y);
    point.right = turned(plant.turn, right);
    point.up = turned(plant.turn, up);
    point.fade = plant.fade;
    point.layer = side + select(0u, u32(SIDES), high);
    point.clip = frame.clip_from_world * vec4<f32>(point.world, 1.0);
    return point;
}

// The mean of directions of a picture, in the world: the less they agree, the shorter. `covered` is what it was multiplied by.
fn mean_direction(point: ImpostorPoint, stored: vec3<f32>, covered: f32) -> vec3<f32> {
    let v = stored / covered * 2.0 - 1.0;
    return point.right * v.x + point.up * v.y + cross(point.right, point.up) * (v.z + 1e-3);
}

// Mean of |n·s| over normals n whose mean is m, and which all face the eye: of one direction |m·s|, of a whole hemisphere, whose mean is half as
// long, a half.
fn mean_cosine(m: vec3<f32>, s: vec3<f32>) -> f32 {
    return mix(0.5, abs(dot(normalize(m), s)), agreement(m));
}

// How alike directions are that face one side: 1 if all are the same, 0 if they fill a hemisphere.
fn agreement(m: vec3<f32>) -> f32 {
    return clamp(2.0 * length(m) - 1.0, 0.0, 1.0);
}

// Reflection of the sun by surfaces whose normals all face the eye, with the mean m, by the area that each shows: a lobe, however rough, holds as much light, so that it
// is F n·l n·v/(4 v·h²) at n = h, the way halfway between sun and eye, times the density of normals there over an even one. Even normals weighed so have a mean along the eye
// and a variance of ¼ across it; what m has across it tells in first order how many more lie towards h: of crowns many face up.
fn highlight_of_many(m: vec3<f32>, to_eye: vec3<f32>) -> f32 {
    let halfway = normalize(to_eye + frame.to_sun);
    let v_h = max(dot(to_eye, halfway), 0.0);
    let fresnel = 0.04 + 0.96 * pow(1.0 - v_h, 5.0);
    let density = max(1.0 + 4.0 * (dot(m, halfway) - dot(m, to_eye) * v_h), 0.0);
    return density * fresnel * v_h * v_h / max(4.0 * v_h * v_h, 0.1);
}

// Mean of max(x, 0) where x is linear in directions whose mean is m: as if normally distributed with the variance (1 − m²)/3 that they have, to 10 %.
fn mean_above_zero(x: f32, m: vec3<f32>) -> f32 {
    let spread = max(1.0 - dot(m, m), 0.0) / 3.0;
    return 0.5 * (x + sqrt(x * x + 0.6366 * spread));
}

@fragment
fn impostor_colour(point: ImpostorPoint) -> Covered {
    let colour = textureSample(tile_colour, tile_sampler, point.uv, point.layer);
    let stored_normal = textureSample(tile_normal, tile_sampler, point.uv, point.layer);
    let stored_outward = textureSample(tile_outward, tile_sampler, point.uv, point.layer);
    let random = fract(52.9829189 * fract(dot(point.clip.yx, vec2<f32>(0.06711056, 0.00583715))));
    var covered: Covered;
    covered.mask = 1u;
    if (SAMPLES > 1u) {
        covered.mask = samples(colour.a, u32(random * 64.0));
    }
    let hit = select(covered.mask != 0u, colour.a > random, SAMPLES == 1u);
    if (!hit || colour.a < 0.02 || !shown(point.clip.xy, point.fade)) {
        discard;
    }
    let albedo = colour.rgb / colour.a;
    let normal = mean_direction(point, stored_normal.xyz, colour.a);
    let outward = mean_direction(point, stored_outward.xyz, colour.a);
    let leafy = clamp(stored_normal.a / colour.a, 0.0, 1.0);
    let openness = stored_outward.a / colour.a;
    if (!on(LIGHTING)) {
        covered.colour = as_written(albedo);
        return covered;
    }
    far_shade = shade_by_crown(outward, openness * mix(0.6, 1.0, leafy));
    let shade = sunlit(point.world, normalize(outward), 0.05, 0.0);
    let to_eye = normalize(frame.eye - point.world);
    // The mean of the normals that the crown is lit as a volume with: each is a sum of a blade's and of the way out, made one long.
    let volume = mix(normal, outward, CROWN_SHARE) / sqrt(max(1.0 + 2.0 * CROWN_SHARE * (1.0 - CROWN_SHARE) * (dot(normal, outward) - 1.0), 0.05));
    let on_crown = mean_above_zero((dot(volume, frame.to_sun) + 0.25) / 1.25, volume);
    // A pixel holds leaves that show the sun their face and leaves that show it their back, steeply or not. The curve of the film is taken of each, as
    // where leaves are drawn one by one: of their mean it would be darker. Steepness at Gauss's two points: that of a hemisphere is even.
    let alike = agreement(normal);
    let steep = mean_cosine(normal, frame.to_sun);
    let apart = 0.28867513 * (1.0 - alike);
    let facing = clamp(0.5 + 0.5 * dot(normal, frame.to_sun) / max(steep, 1e-3), 0.0, 1.0);
    let material = vec4<f32>(1.0, species.roughness, 0.0, species.translucency);
    let rough = mix(0.35, 0.8, species.roughness);
    let mirrored = mix(highlight_of_many(normal, to_eye), highlight(normalize(normal), to_eye, rough), alike);
    let gloss = frame.sun * shade * select(0.0, 0.5 * mirrored, DETAIL);
    let crown = CrownLight(shade, on_crown, volume, openness);
    var leaf = vec4<f32>(0.0);
    for (var i = 0u; i < 4u; i += 1u) {
        let side = select(-1.0, 1.0, (i & 1u) == 1u);
        let share = 0.5 * select(1.0 - facing, facing, (i & 1u) == 1u);
        let light = crown_light(to_eye, side * max(steep + select(-apart, apart, i > 1u), 0.0), crown, material);
        let colour = albedo * light.reflected + transmitted(albedo) * light.through + gloss;
        leaf += share * developed(through_air(colour, point.world));
    }
    let direct = frame.sun * shade * 0.5 * (steep + dot(normal, frame.to_sun));
    let bark = developed(through_air(albedo * (direct + ambient(normal) * openness), point.world));
    covered.colour = mix(bark, leaf, leafy);
    return covered;
}
