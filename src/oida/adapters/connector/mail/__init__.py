"""The connector for e-mail."""
