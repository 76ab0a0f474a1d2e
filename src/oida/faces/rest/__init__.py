"""REST: every verb of the workspace over HTTP, with keys, and one shape for each result. Entry: `oida.faces.rest.app.create_app`."""
