# SPDX-License-Identifier: Apache-2.0
"""The program ``rpl`` as a command of Python: ``python3 -m rpl``."""
import os
import sys

from . import RplError, program


def main() -> None:
    try:
        found = program()
    except RplError as error:
        sys.exit(f"rpl: {error}")
    os.execv(found, [found, *sys.argv[1:]])


if __name__ == "__main__":
    main()
