//! Cuts off what lies outside the part of the axis that a picture shows.

use crate::scene::{Layout, Leg, Mark, Mover, Point, Shape};

/// The part of the picture that is left, along the axis.
#[derive(Clone, Copy)]
pub(super) struct Clip {
    pub(super) layout: Layout,
    pub(super) from: i32,
    pub(super) to: i32,
}

impl Clip {
    fn along(self, p: Point) -> i32 {
        match self.layout {
            Layout::Wide => p.x,
            Layout::Tall => p.y,
        }
    }

    fn inside(self, p: Point) -> bool {
        (self.from..=self.to).contains(&self.along(p))
    }

    /// Where the way between two points meets `edge`.
    fn cut(self, a: Point, b: Point, edge: i32) -> Point {
        let way = i64::from(self.along(b) - self.along(a));
        let done = i64::from(edge - self.along(a));
        let mix = |a: i32, b: i32| {
            (i64::from(a) + i64::from(b - a) * done / if way == 0 { 1 } else { way }) as i32
        };
        match self.layout {
            Layout::Wide => Point { x: edge, y: mix(a.y, b.y) },
            Layout::Tall => Point { x: mix(a.x, b.x), y: edge },
        }
    }

    /// Appends what is left of a mark: nothing, itself, or of a line that comes back several.
    pub(super) fn mark(self, mark: Mark, out: &mut Vec<Mark>) {
        let points = match &mark.shape {
            Shape::Line(points) | Shape::Area(points) => points,
            Shape::Rect(a, b, _) => &vec![*a, *b],
        };
        if points.iter().all(|p| self.inside(*p)) {
            return out.push(mark);
        }
        let mut add = |shape| out.push(Mark { shape, ..mark });
        match &mark.shape {
            Shape::Line(points) => {
                let mut line: Vec<Point> = Vec::new();
                for ends in points.windows(2) {
                    let Some((a, b)) = self.way(ends[0], ends[1]) else { continue };
                    if line.last() != Some(&a) {
                        if line.len() > 1 {
                            add(Shape::Line(core::mem::take(&mut line)));
                        }
                        line = vec![a];
                    }
                    line.push(b);
                }
                if line.len() > 1 {
                    add(Shape::Line(line));
                }
            }
            Shape::Area(points) => {
                let left = self.side(&self.side(points, self.from, 1), self.to, -1);
                if left.len() > 2 {
                    add(Shape::Area(left));
                }
            }
            Shape::Rect(a, b, round) => {
                let fit = |p: Point| match self.layout {
                    Layout::Wide => Point { x: p.x.clamp(self.from, self.to), ..p },
                    Layout::Tall => Point { y: p.y.clamp(self.from, self.to), ..p },
                };
                let (a, b) = (fit(*a), fit(*b));
                if self.along(a) < self.along(b) {
                    add(Shape::Rect(a, b, *round));
                }
            }
        }
    }

    /// What is left of a straight way.
    fn way(self, a: Point, b: Point) -> Option<(Point, Point)> {
        let (low, high) = (self.along(a).min(self.along(b)), self.along(a).max(self.along(b)));
        if high < self.from || low > self.to {
            return None;
        }
        let fit = |p: Point| {
            if self.inside(p) { p } else { self.cut(a, b, self.along(p).clamp(self.from, self.to)) }
        };
        Some((fit(a), fit(b)))
    }

    /// What is left of an area on one side of an edge: above it if `sign` is 1, below it if that is -1.
    fn side(self, points: &[Point], edge: i32, sign: i32) -> Vec<Point> {
        let inside = |p: Point| (self.along(p) - edge) * sign >= 0;
        let mut left = Vec::with_capacity(points.len() + 2);
        for (i, &b) in points.iter().enumerate() {
            let a = points[(i + points.len() - 1) % points.len()];
            if inside(a) != inside(b) {
                left.push(self.cut(a, b, edge));
            }
            if inside(b) {
                left.push(b);
            }
        }
        left
    }

    /// Leaves a mover only its legs that are seen.
    pub(super) fn mover(self, mover: &mut Mover) {
        mover.legs.retain(|leg| leg.to.0 > self.from && leg.from.0 < self.to);
        for leg in &mut mover.legs {
            let of = |(along, across): (i32, i32)| crate::scene::point(self.layout, along, across);
            let back = |p: Point| match self.layout {
                Layout::Wide => (p.x, p.y),
                Layout::Tall => (p.y, p.x),
            };
            if let Some((a, b)) = self.way(of(leg.from), of(leg.to)) {
                *leg = Leg { from: back(a), to: back(b) };
            }
        }
    }
}
