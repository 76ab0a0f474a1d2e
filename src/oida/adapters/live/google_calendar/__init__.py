"""The connector that follows a Google calendar."""
