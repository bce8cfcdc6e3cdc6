#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: packaging/wheel.py PROGRAMS VERSION PLATFORM SECONDS FOLDER [FILE…]

In FOLDER: the wheel of the package rpl-engine, with the programs in the folder PROGRAMS, the module
of packaging/python and the FILEs (licences, the list of what is linked). PLATFORM is a tag such as
manylinux_2_28_x86_64, SECONDS the time of all entries. The same input gives the same bytes. Prints
the name of the wheel.
"""
import base64
import hashlib
import sys
import time
import zipfile
from pathlib import Path


def main(programs: str, version: str, platform: str, seconds: str, folder: str,
         *files: str) -> None:
    python = Path(__file__).parent / "python"
    info = f"rpl_engine-{version}.dist-info"
    entries: list[tuple[str, bytes, int]] = [
        (str(path.relative_to(python)), path.read_bytes(), 0o644)
        for path in sorted((python / "rpl").iterdir()) if path.is_file()]
    entries += [(f"rpl/bin/{path.name}", path.read_bytes(), 0o755)
                for path in sorted(Path(programs).iterdir())]
    for file in sorted(files):
        path = Path(file)
        inside = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
        entries += [(f"{info}/licenses/{p.relative_to(path.parent)}", p.read_bytes(), 0o644)
                    for p in inside]
    tag = f"py3-none-{platform}"
    metadata = (python / "METADATA").read_text().replace("@VERSION@", version)
    readme = (python / "README.md").read_text()
    entries += [
        (f"{info}/METADATA", f"{metadata}\n{readme}".encode(), 0o644),
        (f"{info}/WHEEL", ("Wheel-Version: 1.0\nGenerator: packaging/wheel.py\n"
                           f"Root-Is-Purelib: false\nTag: {tag}\n").encode(), 0o644),
        (f"{info}/entry_points.txt", b"[console_scripts]\nrpl = rpl.__main__:main\n", 0o644)]
    record = "".join(
        f"{name},sha256={digest(data)},{len(data)}\n" for name, data, _ in entries)
    record += f"{info}/RECORD,,\n"
    entries.append((f"{info}/RECORD", record.encode(), 0o644))
    wheel = Path(folder) / f"rpl_engine-{version}-{tag}.whl"
    date = time.gmtime(max(int(seconds), 315532800))[:6]  # a zip knows no time before 1980
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name, data, mode in entries:
            entry = zipfile.ZipInfo(name, date)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, data)
    print(wheel.name)


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
