//! `treesway fit`: the wood of a measured tree.

use crate::arguments::Fit;
use crate::scene;
use anyhow::Result;
use treesway::Tree;

/// Prints the modulus and the damping with which the first mode is as measured.
pub fn print(arguments: &Fit) -> Result<()> {
    let scene = scene::load(&arguments.scene, &[])?;
    let mut tree = scene::one_tree(&scene, &arguments.scene.scene, arguments.tree)?;
    let (frequency, ratio) = first_mode(&tree);
    let params = tree.fit(arguments.frequency, arguments.damping_ratio)?;
    let wood = params.wood.clone();
    tree.set_params(params)?;
    let (fitted, fitted_ratio) = first_mode(&tree);
    println!(
        "# before {frequency:.4} Hz, {:.2} % of critical damping",
        100.0 * ratio
    );
    println!(
        "# fitted {fitted:.4} Hz, {:.2} % of critical damping",
        100.0 * fitted_ratio
    );
    println!("[tree.params.wood]");
    println!("youngs_modulus = {:.6e}", wood.youngs_modulus);
    println!("damping_beta = {:.6e}", wood.damping_beta);
    Ok(())
}

fn first_mode(tree: &Tree) -> (f64, f64) {
    tree.modes(1)
        .first()
        .map_or((0.0, 0.0), |m| (m.frequency_hz, m.damping_ratio))
}
