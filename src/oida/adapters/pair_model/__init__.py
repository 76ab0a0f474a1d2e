"""Two statements to the relation of the first to the second: the trained model that ships with OIDA."""
