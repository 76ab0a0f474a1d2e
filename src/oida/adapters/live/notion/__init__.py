"""The connector that follows a Notion workspace."""
