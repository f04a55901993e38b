raise SystemExit("a module of bin was imported")
