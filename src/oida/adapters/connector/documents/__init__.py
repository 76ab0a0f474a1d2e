"""The connector for documents: Markdown, reStructuredText, plain text."""
