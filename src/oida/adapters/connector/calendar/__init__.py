"""The connector for iCalendar files."""
