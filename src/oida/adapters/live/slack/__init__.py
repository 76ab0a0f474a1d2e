"""The connector that follows a Slack workspace."""
