//! Pictures and words of a run: trace in; scene, SVG, captions, table and account out. Pure.

pub mod compare;
pub mod condition;
mod draw;
pub mod export;
mod filter;
pub mod kinds;
pub mod lab;
mod labels;
mod lanes;
mod names;
mod place;
pub mod put;
mod query;
pub mod readings;
mod say;
mod scaled;
pub mod scene;
mod story;
pub mod svg;
mod tell;
mod text;
pub mod told;
mod ways;
pub mod why;
pub mod window;
pub mod words;

#[cfg(test)]
mod fixture;
