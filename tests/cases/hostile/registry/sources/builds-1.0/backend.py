"""Builds the package, and writes down the variables that it was given."""

import os
import pathlib
import zipfile

with pathlib.Path("@MARKER@").open("a") as marker:
    marker.write("".join(f"{name}={value}\n" for name, value in os.environ.items()))

INFO = "builds-1.0.dist-info"
FILES = {
    f"{INFO}/METADATA": "Metadata-Version: 2.1\nName: builds\nVersion: 1.0\n",
    f"{INFO}/WHEEL": "Wheel-Version: 1.0\nGenerator: fake\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    f"{INFO}/entry_points.txt": "[console_scripts]\nbuilds = builds:run\n",
}


def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = "builds-1.0-py3-none-any.whl"
    files = {**FILES, "builds.py": pathlib.Path("builds.py").read_text()}
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        archive.writestr(f"{INFO}/RECORD", "".join(f"{path},,\n" for path in [*files, f"{INFO}/RECORD"]))
    return name
