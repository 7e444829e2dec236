//! Elements of trees, the exact tests, and the certificate.

mod intersect;
mod sieve;
mod trees;
