//! Nodes and weights of the Gauss–Legendre rule with 32 points on [−1, 1]: one half, the other
//! mirrors it. From numpy.polynomial.legendre.leggauss(32); a test integrates what the rule must
//! get exactly.

/// Distance of each pair of nodes from the middle.
pub(super) const NODES: [f64; 16] = [
    0.048307665687738324,
    0.1444719615827965,
    0.23928736225213706,
    0.33186860228212767,
    0.42135127613063533,
    0.5068999089322294,
    0.5877157572407623,
    0.6630442669302152,
    0.7321821187402897,
    0.7944837959679424,
    0.84936761373257,
    0.8963211557660521,
    0.9349060759377397,
    0.9647622555875064,
    0.9856115115452684,
    0.9972638618494816,
];

/// The weight of each node.
pub(super) const WEIGHTS: [f64; 16] = [
    0.09654008851472766,
    0.09563872007927471,
    0.09384439908080451,
    0.09117387869576378,
    0.08765209300440378,
    0.08331192422694671,
    0.07819389578707023,
    0.07234579410884834,
    0.06582222277636168,
    0.058684093478535565,
    0.05099805926237609,
    0.042835898022226836,
    0.034273862913021765,
    0.025392065309262024,
    0.016274394730905743,
    0.007018610009470506,
];

#[cfg(test)]
mod tests {
    use super::{NODES, WEIGHTS};

    /// A rule of 32 points is exact for polynomials up to the 63rd degree, and not beyond.
    #[test]
    fn powers_are_integrated_exactly() {
        let integral = |power| {
            2.0 * NODES
                .iter()
                .zip(WEIGHTS)
                .map(|(node, weight)| weight * node.powi(power))
                .sum::<f64>()
        };
        for power in [0, 2, 30, 62] {
            assert!(
                (integral(power) * f64::from(power + 1) / 2.0 - 1.0).abs() < 1e-13,
                "x^{power}"
            );
        }
        assert!((integral(400) * 401.0 / 2.0 - 1.0).abs() > 1e-6);
    }
}
