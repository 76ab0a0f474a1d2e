"""How the models that ship with OIDA are made; nothing of the product imports this."""
