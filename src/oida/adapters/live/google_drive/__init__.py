"""The connector that follows the documents of a Google Drive."""
