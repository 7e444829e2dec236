// Leaves and fruit: one mesh, drawn for each instance.

struct PieceVertex {
    @location(0) position: vec3<f32>,
    @location(1) which: f32,
    @location(2) normal: vec3<f32>,
    @location(3) uv: vec2<f32>,
}

struct Instance {
    @location(4) position: vec3<f32>,
    @location(5) body: u32,
    @location(6) rotation: vec4<f32>,
    @location(7) scale: vec3<f32>,
    @location(8) variation: f32,
    @location(9) outward: vec3<f32>,
    @location(10) openness: f32,
}

struct PiecePoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) outward: vec3<f32>,
    @location(3) uv: vec2<f32>,
    @location(4) openness: f32,
    @location(5) colour: vec3<f32>,                 // of the body
    @location(6) @interpolate(flat) turn: u32,      // of the pattern of samples
    @location(7) @interpolate(flat) variation: f32, // of the leaf, 0 to 1
    @location(8) @interpolate(flat) snow: f32,      // on the body, 0 to 1
}

fn placed(vertex: PieceVertex, instance: Instance) -> vec3<f32> {
    let body = transforms[instance.body];
    let at_rest = piece_point_at_rest(body, instance.position, instance.rotation, instance.scale, vertex.position);
    return carried_point(body, at_rest);
}

fn carried(vertex: PieceVertex, instance: Instance) -> PiecePoint {
    let body = transforms[instance.body];
    var point: PiecePoint;
    point.world = placed(vertex, instance);
    let normal = piece_normal_at_rest(body, instance.rotation, instance.scale, vertex.position, vertex.normal);
    point.normal = rotated(body.rotation, normal);
    point.outward = rotated(body.rotation, instance.outward);
    point.uv = vertex.uv;
    point.openness = instance.openness;
    point.snow = snow_on(body);
    point.clip = projected(frame.clip_from_world, point.world, body);
    point.variation = fract(instance.variation + vertex.which * 0.754877);
    if (on(COLOURED)) {
        let colour = colour_of(instance.body);
        point.colour = colour.rgb;
        if (colour.a < 0.5) {
            point.clip = hidden();
        }
    }
    point.turn = u32(instance.variation * 1024.0);
    return point;
}

@vertex
fn piece_point(vertex: PieceVertex, instance: Instance) -> PiecePoint {
    return carried(vertex, instance);
}

// How green a colour is, 0 to 1: what chlorophyll there is.
fn greenness(albedo: vec3<f32>) -> f32 {
    return clamp((albedo.g - max(albedo.r, albedo.b)) / max(albedo.g, 1e-3), 0.0, 1.0);
}

// No two leaves have the same green: some are younger and yellower, some older and darker. Petals and fruit are only lighter and darker.
fn varied(albedo: vec3<f32>, random: f32) -> vec3<f32> {
    let other = fract(random * 7.31);
    let yellow = mix(vec3<f32>(0.90, 0.97, 1.05), vec3<f32>(1.22, 1.05, 0.80), random);
    let green = smoothstep(0.0, 0.2, greenness(albedo));
    return albedo * mix(vec3<f32>(1.0), yellow, green) * mix(0.82, 1.16, other);
}

struct ShadowPoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

@vertex
fn piece_shadow(vertex: PieceVertex, instance: Instance) -> ShadowPoint {
    var point: ShadowPoint;
    point.clip = projected(frame.shadow_from_world, placed(vertex, instance), transforms[instance.body]);
    point.uv = vertex.uv;
    return point;
}

@fragment
fn piece_cutout(point: ShadowPoint) {
    if (textureSample(surface_colour, surface_sampler, point.uv).a < 0.5) {
        discard;
    }
}

struct Covered {
    @location(0) colour: vec4<f32>,
    @builtin(sample_mask) mask: u32,
}

// Which samples a leaf with this much of the pixel covers. The pattern starts elsewhere for each leaf, so that two half covered ones one
// behind the other cover more than a half.
fn samples(coverage: f32, turn: u32) -> u32 {
    let count = u32(coverage * f32(SAMPLES) + 0.5);
    let start = turn % SAMPLES;
    let bits = ((1u << count) - 1u) << start;
    return (bits | (bits >> SAMPLES)) & ((1u << SAMPLES) - 1u);
}

// Share of a pixel that a blade covers, of the alpha of its texture. Near, the edge is sharpened to one pixel. Far away alpha is that share: of
// needles about a half, which sharpened would be a solid blade.
fn sharpened(alpha: f32, uv: vec2<f32>) -> f32 {
    let texels = fwidth(uv) * vec2<f32>(textureDimensions(surface_colour));
    let wide = clamp(max(fwidth(alpha), 0.5 * max(texels.x, texels.y)), 1e-4, 1.0);
    return clamp((alpha - 0.5) / wide + 0.5, 0.0, 1.0);
}

// Light that passes through a blade: pigments take blue, and of green leaves less red than reflection does.
fn transmitted(albedo: vec3<f32>) -> vec3<f32> {
    return albedo * mix(vec3<f32>(0.9, 0.85, 0.8), vec3<f32>(1.65, 1.25, 0.35), greenness(albedo));
}

@fragment
fn piece_colour(point: PiecePoint) -> Covered {
    return piece_covered(point);
}

fn piece_covered(point: PiecePoint) -> Covered {
    let texel = textureSample(surface_colour, surface_sampler, point.uv);
    let material = material_at(point.uv);
    let face = face_normal(point.world);
    var covered: Covered;
    covered.mask = 1u;
    if (SAMPLES > 1u) {
        covered.mask = samples(sharpened(texel.a, point.uv), point.turn);
    }
    if (covered.mask == 0u || (SAMPLES == 1u && texel.a < 0.5)) {
        discard;
    }
    covered.colour = lit(point, texel.rgb, material, face);
    return covered;
}

// Light on a place of a leaf: what it reflects, as a factor on its colour, and what comes through, on the colour that passes.
struct LeafLight {
    reflected: vec3<f32>,
    through: vec3<f32>,
}

// Light on the crown where a leaf is.
struct CrownLight {
    shade: f32,        // how much of the sun is seen
    on_crown: f32,     // of the sun on the crown as a volume, 0 to 1
    volume: vec3<f32>, // normal of that
    openness: f32,
}

// Normals lean so far outwards.
const CROWN_SHARE: f32 = 0.55;

// Normal of a blade, towards the eye.
fn towards_eye(normal: vec3<f32>, to_eye: vec3<f32>) -> vec3<f32> {
    let smooth_normal = normalize(normal);
    return smooth_normal * select(-1.0, 1.0, dot(smooth_normal, to_eye) > 0.0);
}

fn light_on_crown(world: vec3<f32>, blade: vec3<f32>, out: vec3<f32>, openness: f32) -> CrownLight {
    let outward = normalize(out);
    let volume = normalize(mix(blade, outward, CROWN_SHARE));
    let on_crown = clamp((dot(volume, frame.to_sun) + 0.25) / 1.25, 0.0, 1.0);
    return CrownLight(sunlit(world, outward, 0.05, 0.0), on_crown, volume, openness);
}

// `on_face`: cosine between the side of the blade that is seen and the sun.
fn crown_light(to_eye: vec3<f32>, on_face: f32, crown: CrownLight, material: vec4<f32>) -> LeafLight {
    let sun = frame.sun * crown.shade;
    // What other leaves let through and pass on reaches those in their shadow, too.
    let scattered = frame.sun * 0.07 * crown.openness;
    var light: LeafLight;
    light.reflected = sun * mix(max(on_face, 0.0), crown.on_crown, 0.5) + ambient(crown.volume) * crown.openness + scattered;
    // Against the sun light comes through, most of it straight on.
    let against = max(dot(-to_eye, frame.to_sun), 0.0);
    let straight = against * against * against * against;
    let translucency = material.a * 2.0 * frame.translucency;
    light.through = translucency
        * (sun * max(-on_face, 0.0) * (0.8 + 1.2 * straight) + 0.3 * ambient(-crown.volume) * crown.openness);
    return light;
}

fn lit(point: PiecePoint, texel: vec3<f32>, material: vec4<f32>, face: vec3<f32>) -> vec4<f32> {
    // From below no snow is seen; a leaf that is not level has its share, too.
    let to_eye = frame.eye - point.world;
    let seen = normalize(point.normal) * select(-1.0, 1.0, dot(point.normal, to_eye) > 0.0);
    var albedo = snowed(varied(patterned(texel), point.variation), seen, point.snow);
    if (on(COLOURED)) {
        albedo = point.colour;
    }
    if (!on(LIGHTING)) {
        return as_written(albedo);
    }
    if (on(COLOURED)) {
        return diagram(albedo, face, point.openness, point.world);
    }
    if (on(FLAT)) {
        // Light comes through: a leaf is lit from whichever side the sun is on.
        let sunny = select(-face, face, dot(face, frame.to_sun) > 0.0);
        return developed(through_air(plain_light(albedo, sunny, point.openness, point.world), point.world));
    }
    let eye_ward = normalize(to_eye);
    let blade = towards_eye(point.normal, eye_ward);
    let crown = light_on_crown(point.world, blade, point.outward, point.openness);
    let light = crown_light(eye_ward, dot(blade, frame.to_sun), crown, material);
    var colour = albedo * light.reflected + transmitted(albedo) * light.through * (1.0 - point.snow);
    if (DETAIL) {
        colour += frame.sun * crown.shade * highlight(blade, eye_ward, mix(0.35, 0.8, material.g)) * 0.5;
    }
    return developed(through_air(colour, point.world));
}

// Leaves in low quality: light is found at the corners, which takes software half as long as at every pixel.
struct PlainPoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
    @location(1) reflected: vec3<f32>,
    @location(2) through: vec3<f32>,
    @location(3) clear: f32,                        // share of the light that the air leaves
    @location(4) @interpolate(flat) variation: f32, // of the leaf, 0 to 1
    @location(5) snow: f32,                         // on what is seen of it
    @location(6) up: f32,                           // y of the normal towards the eye
}

@vertex
fn plain_point(vertex: PieceVertex, instance: Instance) -> PlainPoint {
    let full = carried(vertex, instance);
    let to_eye = normalize(frame.eye - full.world);
    let blade = towards_eye(full.normal, to_eye);
    let crown = light_on_crown(full.world, blade, full.outward, full.openness);
    let light = crown_light(to_eye, dot(blade, frame.to_sun), crown, plain_material());
    var point: PlainPoint;
    point.clip = full.clip;
    point.uv = full.uv;
    point.clear = air_leaves(distance(full.world, frame.eye));
    point.reflected = light.reflected * point.clear;
    point.through = light.through * point.clear;
    point.variation = full.variation;
    point.snow = full.snow;
    point.up = blade.y;
    return point;
}

@fragment
fn plain_colour(point: PlainPoint) -> @location(0) vec4<f32> {
    let texel = textureSample(surface_colour, surface_sampler, point.uv);
    if (texel.a < 0.5) {
        discard;
    }
    let up = vec3<f32>(0.0, point.up, 0.0);
    let albedo = snowed(varied(patterned(texel.rgb), point.variation), up, point.snow);
    let colour = albedo * point.reflected + transmitted(albedo) * point.through * (1.0 - point.snow);
    return developed(colour + frame.horizon * (1.0 - point.clear));
}

@fragment
fn edge_colour(point: PiecePoint) -> @location(0) vec4<f32> {
    // Darker inside of the crown, so that its form is seen among all the edges.
    let green = vec3<f32>(0.05, 0.20, 0.04) * mix(0.15, 1.2, point.openness * point.openness);
    return as_written(select(varied(green, point.variation), point.colour, on(COLOURED)));
}
