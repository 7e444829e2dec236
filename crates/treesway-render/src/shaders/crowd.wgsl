// Trees of a crowd, near enough for meshes.

struct CrowdVertex {
    @location(0) position: vec3<f32>,
    @location(1) own: f32,        // of wood its radius, m; of leaves a random number
    @location(2) normal: vec3<f32>,
    @location(3) openness: f32,
    @location(4) outward: vec3<f32>,
    @location(5) uv: vec2<f32>,
    @location(6) branch: u32,     // that carries it
    @location(7) along: f32,      // where on it, 0 to 1
    @location(8) leaf: u32,       // which leaf it is of
}

struct CrowdPoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) outward: vec3<f32>,
    @location(3) uv: vec2<f32>,
    @location(4) own: f32,
    @location(5) openness: f32,
    @location(6) @interpolate(flat) fade: f32,
}

fn swayed_bark(vertex: CrowdVertex, plant: Plant) -> SpectralPoint {
    if (!MOVES) {
        return SpectralPoint(vertex.position, vertex.normal);
    }
    return spectral_bark(vertex.position, vertex.normal, vertex.branch, vertex.along, plant.lag, wind_on(plant));
}

fn swayed_leaf(vertex: CrowdVertex, plant: Plant) -> SpectralPoint {
    if (!MOVES) {
        return SpectralPoint(vertex.position, vertex.normal);
    }
    let hold = holds[vertex.leaf];
    return spectral_leaf(vertex.position, vertex.normal, hold.base, hold.turn, vertex.branch, vertex.along, plant.lag, wind_on(plant));
}

fn crowded(vertex: CrowdVertex, plant: Plant, now: SpectralPoint) -> CrowdPoint {
    var point: CrowdPoint;
    point.world = stood(plant, now.position);
    point.normal = turned(plant.turn, now.normal);
    point.outward = turned(plant.turn, vertex.outward);
    point.uv = vertex.uv;
    point.own = vertex.own;
    point.openness = vertex.openness;
    point.fade = plant.fade;
    point.clip = frame.clip_from_world * vec4<f32>(point.world, 1.0);
    return point;
}

@vertex
fn crowd_point(vertex: CrowdVertex, plant: Plant) -> CrowdPoint {
    return crowded(vertex, plant, swayed_bark(vertex, plant));
}

@vertex
fn crowd_leaf_point(vertex: CrowdVertex, plant: Plant) -> CrowdPoint {
    return crowded(vertex, plant, swayed_leaf(vertex, plant));
}

@vertex
fn crowd_bark_shadow(vertex: CrowdVertex, plant: Plant) -> @builtin(position) vec4<f32> {
    return frame.shadow_from_world * vec4<f32>(stood(plant, swayed_bark(vertex, plant).position), 1.0);
}

@vertex
fn crowd_leaf_shadow(vertex: CrowdVertex, plant: Plant) -> ShadowPoint {
    var point: ShadowPoint;
    point.clip = frame.shadow_from_world * vec4<f32>(stood(plant, swayed_leaf(vertex, plant).position), 1.0);
    point.uv = vertex.uv;
    return point;
}

@fragment
fn crowd_bark_colour(point: CrowdPoint, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    var bark: BarkPoint;
    bark.clip = point.clip;
    bark.world = point.world;
    bark.normal = point.normal;
    bark.uv = point.uv;
    bark.radius = point.own;
    bark.openness = point.openness;
    bark.colour = vec3<f32>(0.3);
    far_shade = shade_by_crown(point.normal, 0.6 * point.openness);
    let colour = bark_lit(bark, front);
    if (!shown(point.clip.xy, point.fade)) {
        discard;
    }
    return colour;
}

@fragment
fn crowd_leaf_colour(point: CrowdPoint) -> Covered {
    var piece: PiecePoint;
    piece.clip = point.clip;
    piece.world = point.world;
    piece.normal = point.normal;
    piece.outward = point.outward;
    piece.uv = point.uv;
    piece.openness = point.openness;
    piece.colour = vec3<f32>(0.5);
    piece.turn = u32(point.own * 1024.0);
    piece.variation = point.own;
    far_shade = shade_by_crown(point.outward, point.openness);
    let covered = piece_covered(piece);
    if (!shown(point.clip.xy, point.fade)) {
        discard;
    }
    return covered;
}
