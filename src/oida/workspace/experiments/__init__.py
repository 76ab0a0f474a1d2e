"""What the experiments answer: how good the memory's contexts and answers are, under which conditions, by which judge.

May import what `workspace` may. Read `bench` first, then `run`; `publish` writes what came out.
"""
