"""The connector for Notion exports."""
