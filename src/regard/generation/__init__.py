"""From a source to target tokens: decoding, which sees models only through their protocol."""
