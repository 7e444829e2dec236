//! Level of detail: budgets are kept, whatever grows.

use treesway::TreeDesc;
use treesway_grow::{Growth, Wanted, grammars, species};
use treesway_skin::{Detail, Look, Skin};

fn grown(name: &str, bodies: u32) -> (TreeDesc, Look) {
    let species = species::named(name).expect("it is embedded");
    let wanted = Wanted {
        bodies: Some(bodies),
        ..Wanted::default()
    };
    let grown = species.grow(1, &wanted).expect("it grows");
    let bodies = treesway::cut(&grown.skeleton, &grown.cut).expect("it can be cut");
    (bodies, Look::of(&species))
}

#[test]
fn low_detail_of_ten_thousand_bodies_has_at_most_a_hundred_thousand_triangles() {
    for (name, _) in species::ALL {
        let (bodies, look) = grown(name, 10_000);
        let skin = Skin::new(&bodies, &look, &Detail::low());
        let (bark, all) = (skin.bark.triangles.len(), skin.triangles());
        println!("{name}: {bark} of bark, {all} in all");
        assert!(all <= 100_000, "{name}: {all}");
    }
}

#[test]
fn budget_is_kept_and_used() {
    for name in ["oak", "spruce", "palm", "apple"] {
        let (bodies, look) = grown(name, 10_000);
        for budget in [20_000, 60_000, 200_000] {
            let detail = Detail::within(budget, &bodies, &look);
            let found = Skin::new(&bodies, &look, &detail).triangles();
            println!("{name}: {found} of {budget} with {detail:?}");
            assert!(found <= budget, "{name}: {found} of {budget}");
            // Unless it is as fine as it gets.
            let finest = detail.tolerance <= Detail::default().tolerance;
            assert!(
                finest || found > budget / 3,
                "{name}: only {found} of {budget}"
            );
        }
    }
}

/// Hairs and blades that are all as thin do not all vanish at once.
#[test]
fn of_fur_and_meadows_a_share_is_left() {
    for name in ["fur", "meadow"] {
        let grown = grammars::named(name).expect("it is embedded").plant();
        let grown = grown.grow(&Growth::default()).expect("it grows");
        let bodies = treesway::cut(&grown.skeleton, &grown.cut).expect("it can be cut");
        let look = Look::default();
        for budget in [10_000, 30_000, 100_000] {
            let detail = Detail::within(budget, &bodies, &look);
            let found = Skin::new(&bodies, &look, &detail).triangles();
            println!("{name}: {found} of {budget} with {detail:?}");
            assert!(found <= budget, "{name}: {found} of {budget}");
            assert!(found > budget / 3, "{name}: only {found} of {budget}");
        }
    }
}

#[test]
fn nearer_is_finer() {
    let (bodies, look) = grown("maple", 3000);
    let of = |pixels| Skin::new(&bodies, &look, &Detail::for_screen(pixels)).triangles();
    let counts = [5.0, 20.0, 80.0, 320.0].map(of);
    assert!(counts.is_sorted(), "{counts:?}");
    assert!(counts[0] * 10 < counts[3], "{counts:?}");
}
