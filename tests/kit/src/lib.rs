//! What the tests of pml share.
