"""Differences between documents, and searches."""

import pathlib
import tempfile
import unittest
from typing import Any

import hydride

SAMPLE = pathlib.Path("specs/sample/x86/sample.xml")


def changed(folder: str, old: str, new: str) -> pathlib.Path:
    """The sample document with one text instead of another."""
    document = pathlib.Path(folder, "changed.xml")
    text = SAMPLE.read_text()
    assert text.count(old) == 1, old
    document.write_text(text.replace(old, new))
    return document


class Differences(unittest.TestCase):
    def test_a_document_does_not_differ_from_itself(self) -> None:
        found = hydride.diff(SAMPLE, SAMPLE)
        self.assertFalse(found)
        self.assertEqual(found.changes, [])

    def test_another_meaning_has_a_counterexample(self) -> None:
        rounded, truncated = "(a[p+7:p] + b[p+7:p] + 1) &gt;&gt; 1", "(a[p+7:p] + b[p+7:p]) &gt;&gt; 1"
        with tempfile.TemporaryDirectory() as folder:
            found = hydride.diff(SAMPLE, changed(folder, rounded, truncated))
        self.assertTrue(found)
        self.assertEqual((found.old.name, found.old.entries), (str(SAMPLE), found.new.entries))
        [change] = found.changes
        self.assertEqual((change.isa, change.id, change.meaning), ("x86", "_mm_avg_epu8", "different"))
        self.assertTrue(change.text_differs)
        self.assertIsNone(change.reason)
        example = change.counterexample
        assert example is not None
        self.assertEqual(([value.name for value in example.args], example.lane), (["a", "b"], 8))
        a, b = (value.bits & 255 for value in example.args)
        low = [side[0].bits & 255 for side in (example.old, example.new)]
        self.assertEqual(low, [(a + b + 1) >> 1, (a + b) >> 1])
        self.assertEqual([entry.id for entry in found.breaking().changes], ["_mm_avg_epu8"])

    def test_a_removed_entry(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            found = hydride.diff(SAMPLE, changed(folder, 'name="_mm_avg_epu8"', 'name="_mm_mean_epu8"'))
        self.assertEqual([(entry.old, entry.new) for entry in found.renamed], [("_mm_avg_epu8", "_mm_mean_epu8")])
        self.assertEqual((found.added, found.removed, found.changes), ([], [], []))

    def test_an_empty_document_is_an_error_with_its_place(self) -> None:
        with tempfile.NamedTemporaryFile(suffix=".xml") as empty:
            with self.assertRaises(hydride.DocumentError) as caught:
                hydride.diff(SAMPLE, empty.name)
            self.assertEqual((caught.exception.file, caught.exception.line), (empty.name, 1))


GOAL = """name = "zero"
element = 32
[[input]]
name = "x"
[[output]]
name = "y"
each = "0"
"""


class Searches(unittest.TestCase):
    def search(self, goal: str, **options: Any) -> hydride.Search:
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(goal)
            file.flush()
            return hydride.search(file.name, "specs/sample", extensions=["SSE2"], **options)

    def test_the_shortest_sequence(self) -> None:
        found = self.search(GOAL, only=["pxor"])
        self.assertTrue(found)
        self.assertEqual((found.goal, found.target, found.unit), ("zero", "SSE2", "instructions"))
        [sequence] = found.sequences
        self.assertEqual((sequence.cost, sequence.assembly), (1, ["; in: x = xmm0", "pxor xmm0, xmm0", "; out: y = xmm0"]))
        self.assertEqual([(step.mnemonic, step.operands) for step in sequence.steps], [("pxor", [0, 0])])
        self.assertTrue(any("_mm_xor_si128" in line for line in sequence.c))

    def test_a_goal_that_is_not_reached(self) -> None:
        found = self.search(GOAL.replace('"0"', '"x[i] + 1"'), only=["pxor"], max_length=1)
        self.assertFalse(found)
        self.assertEqual(found.exhausted, 1)

    def test_errors_have_their_place(self) -> None:
        with self.assertRaises(hydride.DocumentError) as caught:
            self.search(GOAL.replace('"0"', '"nobody"'))
        self.assertEqual(caught.exception.line, 7)
        with self.assertRaisesRegex(hydride.UsageError, "need --cpu"):
            self.search(GOAL, cost="latency")
        with self.assertRaisesRegex(ValueError, "cost is length, latency or uops, not size"):
            self.search(GOAL, cost="size")


if __name__ == "__main__":
    unittest.main()
