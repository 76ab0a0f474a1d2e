"""The connector that follows a mailbox over IMAP."""
