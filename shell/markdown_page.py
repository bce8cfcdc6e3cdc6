# SPDX-License-Identifier: Apache-2.0
"""Reading of Markdown pages, for the tests of links and references."""
import re


def lines_of(page):
    """The lines of a page outside of fences."""
    fence = None
    with open(page) as file:
        for line in file:
            mark = re.match(r"(```+)", line)
            if fence is None and mark:
                fence = mark[1]
            elif fence is not None:
                if line.rstrip() == fence:
                    fence = None
            else:
                yield line
