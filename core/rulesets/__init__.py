"""The rules of the games, one module or small package each."""
