"""The connector for bulk exports of a Mattermost server."""
