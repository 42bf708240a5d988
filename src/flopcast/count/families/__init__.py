"""FAMILIES. One builder for each `model_type`: fields in, blocks out.

Belongs here: what a family's layers are made of, in thin modules by kind (dense, moe, latent, indexed, hybrid, encoder,
vision, multimodal, diffusion), and the defaults of each family as data (`defaults.json`).
Does not: how a block is counted (`blocks`, `mixers`, `towers`), how a configuration is read and refused (`fields`).
"""
