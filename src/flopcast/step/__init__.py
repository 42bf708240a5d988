"""STEP. One update of training: time by part and memory of the worst rank.

Belongs here: kernels, layers, collectives, pipeline schedules, software stacks, memory, layouts; arrays in, arrays out.
Does not: the run as a whole (run), prices (money), how sure we are of a run (evidence).
"""
