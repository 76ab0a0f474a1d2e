"""What an agent or a person is given of a ranking: sections, a budget kept, text from sources made harmless.

Start at `assemble`; next in the flow: the faces, by way of the workspace.
"""
