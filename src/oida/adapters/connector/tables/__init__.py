"""The connector for tables and JSON lines that no other kind knows."""
