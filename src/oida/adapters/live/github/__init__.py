"""The connector that follows the issues of a GitHub repository."""
