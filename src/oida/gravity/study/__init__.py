"""Questions one asks the engine without recording anything: scenarios over time, what-if, calibration, searches.

Built on `oida.gravity`'s core, which never imports it.
"""
