# Runs pip, and prevents it from starting any program, as building a package or fetching one from git would. The files of
# packages are never on the path that pip itself imports from. The first argument is the location of pip: `-` for the
# machine's own, or the file with which another interpreter runs it.
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
        # pip uses it to get the keys of the user's indexes.
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
