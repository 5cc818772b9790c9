"""The guide's page, which is a notebook: blocks of code, each followed by a block with what it prints.

`HYDRIDE_BLESS=1` writes the outputs anew.
"""

import contextlib
import io
import os
import pathlib
import re
import unittest

PAGE = pathlib.Path("docs/src/python.md")
CELL = re.compile(r"(?<=^```python\n)(?P<code>.*?)^```\n\n```text\n(?P<output>.*?)(?=^```$)", re.MULTILINE | re.DOTALL)


class Guide(unittest.TestCase):
    maxDiff = None

    def test_the_page_prints_what_it_says(self) -> None:
        page = PAGE.read_text()
        names: dict[str, object] = {}

        def played(cell: re.Match[str]) -> str:
            line = page.count("\n", 0, cell.start()) + 1
            code = compile("\n" * (line - 1) + cell["code"], PAGE, "exec")
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(code, names)
            return f"{cell['code']}```\n\n```text\n{printed.getvalue()}"

        now, cells = CELL.subn(played, page)
        self.assertEqual(cells, page.count("```python\n"), "each block of code is followed by its output")
        if os.environ.get("HYDRIDE_BLESS") == "1":
            PAGE.write_text(now)
        else:
            self.assertEqual(page, now)


if __name__ == "__main__":
    unittest.main()
