//! What a program will do: its calls, held against what the servers offer, without running it.
