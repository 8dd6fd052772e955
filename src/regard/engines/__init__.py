"""How a model computes while it decodes: `torch`, with weights laid out for this processor, or `native`, with layers in C."""
