"""Documents: texts and markup as blocks, sentences and terms, and translations put back into them."""
