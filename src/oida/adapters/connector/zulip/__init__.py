"""The connector for exports of a Zulip organization."""
