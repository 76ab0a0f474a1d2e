"""What judges are told, as versioned texts; a judge's version is the file's name with a hash of its words. Imports nothing."""
