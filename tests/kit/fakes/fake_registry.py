"""A fake registry for npm and Python, with packages that no real one would keep.

usage: fake_registry.py FOLDER MARKER REPOSITORY

`FOLDER/npm/*` are packages of npm as plain files, `FOLDER/wheels/*` are the contents of wheels, and `FOLDER/sources/*` those of
Python packages that have to be built. They are packed here, by the real rules. In their text files `@ORIGIN@` is this registry's
address and `@PORT@` its port, `@MARKER@` the file that a package writes if its code runs, `@REPOSITORY@` the address of a git
repository, and `@INTEGRITY@` the hash of the package `plain`.

It prints its port. Every request is kept in `requests.log` beside the marker: its path and what it brought to be let in.
"""

import base64
import hashlib
import io
import json
import pathlib
import sys
import tarfile
import urllib.parse
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

folder, marker, repository = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
server = None
files = {}
packuments = {}
index = {}


def origin():
    return f"http://127.0.0.1:{server.server_port}"


def placeholders():
    given = {"ORIGIN": origin(), "PORT": str(server.server_port), "MARKER": str(marker), "REPOSITORY": repository}
    plain = packuments.get("plain")
    if plain:
        given["INTEGRITY"] = plain["versions"]["1.0.0"]["dist"]["integrity"]
    return given


def contents(package):
    """The files of a package: names and bytes, in a fixed order."""
    for path in sorted(package.rglob("*")):
        if path.is_file():
            try:
                text = path.read_text()
            except UnicodeDecodeError:
                yield path.relative_to(package).as_posix(), path.read_bytes()
                continue
            for name, value in placeholders().items():
                text = text.replace(f"@{name}@", value)
            yield path.relative_to(package).as_posix(), text.encode()


def tarball(prefix, package):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, data in contents(package):
            entry = tarfile.TarInfo(f"{prefix}/{name}")
            entry.size, entry.mode = len(data), 0o755
            archive.addfile(entry, io.BytesIO(data))
    return made.getvalue()


def add_npm(package):
    manifest = json.loads(dict(contents(package))["package.json"])
    name, version = manifest["name"], manifest["version"]
    data = tarball("package", package)
    path = f"/{name}/-/{name.split('/')[-1]}-{version}.tgz"
    files[path] = data
    manifest["_hasShrinkwrap"] = (package / "npm-shrinkwrap.json").exists()
    scripts = manifest.get("scripts", {})
    manifest["hasInstallScript"] = any(it in scripts for it in ("preinstall", "install", "postinstall"))
    manifest["dist"] = {
        "tarball": origin() + path,
        "integrity": "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode(),
        "shasum": hashlib.sha1(data).hexdigest(),
        "unpackedSize": sum(len(data) for _, data in contents(package)),
    }
    known = packuments.setdefault(name, {"name": name, "dist-tags": {}, "versions": {}})
    known["versions"][version] = manifest
    known["dist-tags"]["latest"] = version


def wheel(package):
    """Returns the wheel's name and bytes. `WHEEL` and `RECORD` are made here."""
    info = next(package.glob("*.dist-info")).name
    made, record = io.BytesIO(), []
    with zipfile.ZipFile(made, "w") as archive:

        def add(name, data):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
            archive.writestr(name, data)

        for name, data in contents(package):
            add(name, data)
        add(f"{info}/WHEEL", b"Wheel-Version: 1.0\nGenerator: fake\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        record.append(f"{info}/RECORD,,")
        archive.writestr(f"{info}/RECORD", "\n".join(record) + "\n")
    return f"{info.removesuffix('.dist-info')}-py3-none-any.whl", made.getvalue()


def add_python(name, file, data):
    files[f"/files/{file}"] = data
    index.setdefault(name.lower().replace("_", "-"), []).append(file)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        path = urllib.parse.unquote(self.path.split("?")[0])
        with open(marker.parent / "requests.log", "a") as log:
            log.write(json.dumps({"path": path, "authorization": self.headers.get("authorization")}) + "\n")
        if path in files:
            return self.answer(files[path], "application/octet-stream")
        if path.startswith("/simple/") and path.strip("/").split("/")[-1] in index:
            names = index[path.strip("/").split("/")[-1]]
            links = [f'<a href="/files/{it}#sha256={hashlib.sha256(files["/files/" + it]).hexdigest()}">{it}</a>' for it in names]
            return self.answer("<!DOCTYPE html><html><body>" + "".join(links) + "</body></html>", "text/html")
        if path.strip("/") in packuments:
            return self.answer(json.dumps(packuments[path.strip("/")]), "application/json")
        self.send_error(404)

    do_HEAD = do_GET

    def answer(self, data, kind):
        data = data if isinstance(data, bytes) else data.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
# What brings a lock of its own names the hash of another.
for one in sorted(folder.glob("npm/*"), key=lambda one: (one / "npm-shrinkwrap.json").exists()):
    add_npm(one)
for one in sorted(folder.glob("wheels/*")):
    file, data = wheel(one)
    add_python(file.split("-")[0], file, data)
for one in sorted(folder.glob("sources/*")):
    add_python(one.name.rsplit("-", 1)[0], f"{one.name}.tar.gz", tarball(one.name, one))
print(server.server_port, flush=True)
server.serve_forever()
