"""The connector for exports of issue trackers."""
