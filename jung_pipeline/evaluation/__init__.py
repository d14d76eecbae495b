"""How well the library finds, refuses and checks: golden questions in, figures out."""
