//! What the servers offer: TypeScript types, signatures and search over definitions of tools.
