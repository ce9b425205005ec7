//! Pictures and words of a run: trace in; scene, SVG, captions, table and account out. Pure.

mod draw;
pub mod export;
pub mod kinds;
pub mod lab;
mod labels;
mod lanes;
mod names;
mod query;
pub mod readings;
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
