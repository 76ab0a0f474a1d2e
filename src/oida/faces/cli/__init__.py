"""The command line: one function a command, each parses, calls one verb and renders."""
