//! Generates the client from `openapi.yaml`.

fn main() {}
