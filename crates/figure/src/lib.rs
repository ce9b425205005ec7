//! Pictures and words of a run: trace in; scene, SVG, captions, table and account out. Pure.

pub mod condition;
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
pub mod why;
pub mod words;

#[cfg(test)]
mod fixture;
