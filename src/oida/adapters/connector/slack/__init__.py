"""The connector for Slack exports."""
