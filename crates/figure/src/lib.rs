//! Pictures and words of a run: trace in; scene, SVG, captions, table and account out. Pure.

mod draw;
pub mod lab;
mod labels;
mod lanes;
mod names;
mod query;
mod say;
pub mod scene;
mod story;
pub mod svg;
mod tell;
mod text;
mod ways;
pub mod why;
pub mod words;

#[cfg(test)]
mod fixture;
