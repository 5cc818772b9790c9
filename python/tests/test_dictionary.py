"""What is known of instructions and operations, and what the documents' entries became."""

import pathlib
import tempfile
import unittest

import hydride

SAMPLES = hydride.load("specs/sample")


class Instructions(unittest.TestCase):
    def test_an_instruction_says_what_its_document_says(self) -> None:
        average = SAMPLES["_mm_avg_epu8"]
        self.assertEqual((average.id, average.isa, average.intrinsic), ("_mm_avg_epu8", "x86", "_mm_avg_epu8"))
        self.assertEqual((average.mnemonics, average.extensions), (["PAVGB"], ["SSE2"]))
        self.assertEqual(str(average), "_mm_avg_epu8(a: 16 x uint8, b: 16 x uint8) -> (dst: 16 x uint8)")
        [a, _] = average.args
        self.assertEqual((a.name, a.c_type, a.kind, a.width, a.lanes), ("a", "__m128i", "vector", 128, 16))
        self.assertEqual((a.element.kind, a.element.width, str(a.element)), ("uint", 8, "uint8"))
        self.assertIsNone(a.range)
        file, line, column = average.place
        self.assertEqual((file, column), ("x86/sample.xml", 1))
        self.assertIn('name="_mm_avg_epu8"', pathlib.Path("specs/sample", file).read_text().splitlines()[line - 1])

    def test_an_instruction_says_how_it_applies_its_operation(self) -> None:
        average = SAMPLES["_mm_avg_epu8"]
        self.assertEqual(average.parameters["element_width"], 8)
        self.assertEqual(average.masking, "none")
        self.assertEqual(SAMPLES["_mm_maskz_add_epi8"].masking, "zero")
        self.assertIn(average, average.operation.instructions)
        self.assertEqual(average.operation, SAMPLES.operation(average.operation.name))
        self.assertIn("func @" + average.operation.name, average.operation.ir)
        self.assertEqual(set(average.parameters), set(average.operation.parameters))

    def test_semantics_as_formula_and_as_ir(self) -> None:
        average = SAMPLES["_mm_avg_epu8"]
        self.assertIn("dst_{8}[i] = ", average.formula)
        self.assertIn("for i in 0..16 {", average.ir)

    def test_trust(self) -> None:
        trust = SAMPLES["_mm_avg_epu8"].trust
        self.assertEqual(trust.level, "run")
        self.assertTrue(trust.validated)
        self.assertGreaterEqual(trust.inputs, 1000)
        self.assertIsInstance(trust.machine, str)
        others = {instruction.trust.level for instruction in SAMPLES.instructions if not instruction.trust.validated}
        self.assertLessEqual(others, {"proved", "parsed"})

    def test_undefined_bits_are_listed(self) -> None:
        undefined = [instruction for instruction in SAMPLES.instructions if instruction.undefined]
        for instruction in undefined:
            for result, low, width in instruction.undefined:
                self.assertLessEqual(low + width, instruction.results[result].width)

    def test_a_scalar_that_holds_several_elements_is_one_number(self) -> None:
        rt = SAMPLES["V6_vdmpybus_acc"].args[2]
        self.assertEqual((rt.kind, str(rt.element), rt.lanes), ("scalar", "int32", 1))


class LookUp(unittest.TestCase):
    def test_iteration(self) -> None:
        self.assertEqual(len(SAMPLES.instructions), len(SAMPLES))
        self.assertEqual({instruction.isa for instruction in SAMPLES.instructions}, {"x86", "arm", "hvx"})
        names = [operation.name for operation in SAMPLES.operations]
        self.assertEqual(names, sorted(names))
        members = [member for operation in SAMPLES.operations for member in operation.instructions]
        self.assertEqual(set(members), set(SAMPLES.instructions))

    def test_names(self) -> None:
        self.assertIn("_mm_avg_epu8", SAMPLES)
        self.assertNotIn("_mm_avg_epu7", SAMPLES)
        self.assertEqual(SAMPLES["x86:_mm_avg_epu8"], SAMPLES["_mm_avg_epu8"])

    def test_unknown_names(self) -> None:
        with self.assertRaisesRegex(hydride.UnknownNameError, "no instruction .* avg; did you mean .*_mm_avg_epu8"):
            SAMPLES["avg"]
        with self.assertRaisesRegex(hydride.UnknownNameError, "_mm_rcp_ps is not modelled: approximation"):
            SAMPLES["_mm_rcp_ps"]
        with self.assertRaises(hydride.UnknownNameError):
            SAMPLES.operation("no_such_operation")
        self.assertTrue(issubclass(hydride.UnknownNameError, LookupError))

    def test_the_ledger_has_every_entry(self) -> None:
        modelled = [entry.id for entry in SAMPLES.ledger if entry.status == "modelled"]
        self.assertEqual(sorted(modelled), sorted(instruction.id for instruction in SAMPLES.instructions))
        [reciprocal] = [entry for entry in SAMPLES.ledger if entry.id == "_mm_rcp_ps"]
        expected = ("excluded", "approximation", "x86/sample.xml")
        self.assertEqual((reciprocal.status, reciprocal.reason, reciprocal.file), expected)
        self.assertGreater(reciprocal.line, 1)

    def test_versions(self) -> None:
        self.assertLessEqual(set(SAMPLES.versions), {"x86", "arm", "hvx"})

    def test_explanations(self) -> None:
        page = SAMPLES.explain("_mm_avg_epu8")
        self.assertIn("_mm_avg_epu8 (x86)", page)
        self.assertIn("__m128i dst = _mm_avg_epu8(a, b);", page)
        pair = SAMPLES.explain("_mm_avg_epu8", "_mm_adds_epu8")
        self.assertIn("_mm_avg_epu8 and _mm_adds_epu8 are two operations", pair)
        with self.assertRaisesRegex(hydride.UsageError, "no instruction or operation"):
            SAMPLES.explain("no_such_thing")


class Reading(unittest.TestCase):
    def test_one_instruction_set(self) -> None:
        self.assertEqual({found.isa for found in hydride.load("specs/sample", isas=["arm"]).instructions}, {"arm"})
        with self.assertRaisesRegex(hydride.UsageError, "unknown instruction set vax"):
            hydride.load("specs/sample", isas=["vax"])

    def test_a_folder_without_documents(self) -> None:
        with self.assertRaisesRegex(hydride.Error, "is not a folder"):
            hydride.load("no/such/folder")

    def test_a_broken_document_is_an_error_with_its_place(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            document = pathlib.Path(folder, "x86", "broken.xml")
            document.parent.mkdir()
            whole = pathlib.Path("specs/sample/x86/sample.xml").read_text()
            document.write_text(whole[: whole.index("_mm_packs_epi16")])
            with self.assertRaises(hydride.DocumentError) as caught:
                hydride.load(folder)
            error = caught.exception
            self.assertEqual(error.file, str(document))
            self.assertEqual(error.line, document.read_text().count("\n") + 1)
            self.assertEqual(error.column, 1)
            self.assertIsInstance(error.problems[0], hydride.Problem)
            self.assertIn(f"{document}:{error.line}:{error.column}: ", str(error.problems[0]))
            partial = hydride.load(folder, accept_partial=True)
            self.assertIn("_mm_avg_epu8", partial)
            self.assertNotIn("_mm_packs_epi16", partial)


if __name__ == "__main__":
    unittest.main()
