"""SQL where it can be read: one module per aggregate, one function per query, the transaction owned by the caller."""
