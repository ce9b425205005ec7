//! Pictures and words of a run: trace in; scene, SVG, captions, table and account out. Pure.

pub mod lab;
pub mod scene;
pub mod svg;
pub mod words;
