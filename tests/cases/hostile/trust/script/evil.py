"""What a pull puts in the place of a script that was trusted."""
open("pwned", "w").close()
