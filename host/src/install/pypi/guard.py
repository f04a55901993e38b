# Runs pip, and keeps it from starting any program: building a package does, and so does fetching one from git. What a package
# brings is never on the path that pip itself imports from. The first word says where pip is: `-` for the machine's own, or the
# file with which another interpreter runs it.
import os
import runpy
import sys

STARTS = {"subprocess.Popen": 0, "os.posix_spawn": 0, "os.exec": 0, "os.spawn": 1, "os.system": 0}


def refuse(event, arguments):
    if event in ("os.fork", "os.forkpty"):
        raise PermissionError("pml refuses to start another process")
    if event in STARTS:
        program = arguments[STARTS[event]]
        if event == "subprocess.Popen" and program is None:
            program = arguments[1] if isinstance(arguments[1], (str, bytes)) else arguments[1][0]
        name = os.path.basename(os.fsdecode(program))
        # It hands out the keys of the user's indexes.
        if name != "keyring":
            raise PermissionError("pml refuses to start: " + name)


runner = sys.argv.pop(1)
sys.path[:] = [at for at in sys.path if at]
sys.addaudithook(refuse)
if runner == "-":
    runpy.run_module("pip", run_name="__main__", alter_sys=True)
else:
    sys.path[:] = [at for at in sys.path if not at.startswith(sys.prefix + os.sep)]
    runpy.run_path(runner, run_name="__main__")
