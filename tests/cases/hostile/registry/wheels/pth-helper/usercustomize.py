open("@MARKER@", "a").write("sitecustomize\n")
