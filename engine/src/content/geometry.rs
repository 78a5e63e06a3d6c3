//! Affine maps and rectangles.

/// The map `[a b c d e f]` of ISO 32000-1, 8.3.3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Matrix(pub(crate) [f64; 6]);

impl Matrix {
    /// The map that changes nothing.
    pub(crate) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// First this map, then `next`.
    pub(crate) fn then(self, next: Self) -> Self {
        let [a, b, c, d, e, f] = self.0;
        let [p, q, r, s, t, u] = next.0;
        Self([
            a * p + b * r,
            a * q + b * s,
            c * p + d * r,
            c * q + d * s,
            e * p + f * r + t,
            e * q + f * s + u,
        ])
    }

    /// Where a point goes.
    pub(crate) fn apply(self, (x, y): (f64, f64)) -> (f64, f64) {
        let [a, b, c, d, e, f] = self.0;
        (a * x + c * y + e, b * x + d * y + f)
    }

    /// The map back, if there is one.
    pub(crate) fn inverse(self) -> Option<Self> {
        let [a, b, c, d, e, f] = self.0;
        let det = a * d - b * c;
        if !det.is_finite() || det.abs() < 1e-12 {
            return None;
        }
        Some(Self([d / det, -b / det, -c / det, a / det, (c * f - d * e) / det, (b * e - a * f) / det]))
    }

    /// The lengths of the images of the unit vectors: how large the unit square is shown.
    pub(crate) fn extent(self) -> (f64, f64) {
        let [a, b, c, d, _, _] = self.0;
        (a.hypot(b), c.hypot(d))
    }

    /// Whether all of it is finite.
    pub(crate) fn is_finite(self) -> bool {
        self.0.iter().all(|value| value.is_finite())
    }
}

/// A rectangle whose sides are parallel to the axes; empty unless its corners are in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub(crate) left: f64,
    pub(crate) bottom: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
}

impl Rect {
    /// The whole plane.
    pub(crate) const ALL: Self =
        Self { left: f64::NEG_INFINITY, bottom: f64::NEG_INFINITY, right: f64::INFINITY, top: f64::INFINITY };
    /// Nothing.
    pub(crate) const NONE: Self =
        Self { left: f64::INFINITY, bottom: f64::INFINITY, right: f64::NEG_INFINITY, top: f64::NEG_INFINITY };
    /// The square that images are defined on.
    pub(crate) const UNIT: Self = Self { left: 0.0, bottom: 0.0, right: 1.0, top: 1.0 };

    /// The rectangle of `[left, bottom, right, top]`.
    pub(crate) fn of([left, bottom, right, top]: [f64; 4]) -> Self {
        Self { left, bottom, right, top }
    }

    /// Whether nothing is in it.
    pub(crate) fn is_empty(self) -> bool {
        !(self.left < self.right && self.bottom < self.top)
    }

    /// What both have.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            left: self.left.max(other.left),
            bottom: self.bottom.max(other.bottom),
            right: self.right.min(other.right),
            top: self.top.min(other.top),
        }
    }

    /// The least rectangle that has both.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            left: self.left.min(other.left),
            bottom: self.bottom.min(other.bottom),
            right: self.right.max(other.right),
            top: self.top.max(other.top),
        }
    }

    /// The least rectangle that has this and a point.
    pub(crate) fn with(self, (x, y): (f64, f64)) -> Self {
        self.or(Self { left: x, bottom: y, right: x, top: y })
    }

    /// As [`Rect::mapped`], but nothing stays nothing.
    pub(crate) fn mapped_if_any(self, matrix: Matrix) -> Self {
        if self.is_empty() { Self::NONE } else { self.mapped(matrix) }
    }

    /// The least rectangle around the image of this one.
    pub(crate) fn mapped(self, matrix: Matrix) -> Self {
        if !(self.left.is_finite()
            && self.right.is_finite()
            && self.bottom.is_finite()
            && self.top.is_finite())
        {
            return Self::ALL;
        }
        [(self.left, self.bottom), (self.right, self.bottom), (self.left, self.top), (self.right, self.top)]
            .into_iter()
            .fold(Self::NONE, |bounds, corner| bounds.with(matrix.apply(corner)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_and_its_inverse_cancel() {
        let map = Matrix([2.0, 1.0, -1.0, 3.0, 10.0, 20.0]);
        let (x, y) = map.then(map.inverse().unwrap()).apply((5.0, 7.0));
        assert!((x - 5.0).abs() < 1e-9 && (y - 7.0).abs() < 1e-9);
        assert!(Matrix([1.0, 2.0, 2.0, 4.0, 0.0, 0.0]).inverse().is_none());
    }

    #[test]
    fn rectangles_meet_and_join() {
        let a = Rect::of([0.0, 0.0, 2.0, 2.0]);
        let b = Rect::of([1.0, 1.0, 3.0, 3.0]);
        assert_eq!(a.and(b), Rect::of([1.0, 1.0, 2.0, 2.0]));
        assert_eq!(a.or(b), Rect::of([0.0, 0.0, 3.0, 3.0]));
        assert!(a.and(Rect::of([5.0, 5.0, 6.0, 6.0])).is_empty());
        assert_eq!(Rect::NONE.or(a), a);
        assert_eq!(Rect::ALL.mapped(Matrix([0.0, 1.0, -1.0, 0.0, 0.0, 0.0])), Rect::ALL);
    }
}
