"""The routes, by what they are for: read, write, review, admin, jobs, health."""
