"""The connector for exports of note apps."""
