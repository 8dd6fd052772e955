"""Engines, the inference backends that decode: `torch`, with weights laid out for this processor, or `native`, with
layers in C.
"""
