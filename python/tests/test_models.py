"""Models of instructions, right and wrong."""

import unittest

import numpy as np

import hydride

SAMPLES = hydride.load("specs/sample")
AVERAGE = SAMPLES["_mm_avg_epu8"]


class Models(unittest.TestCase):
    def test_a_right_model(self) -> None:
        self.assertIsNone(hydride.check(AVERAGE, lambda a, b: ((a.astype(int) + b + 1) >> 1).astype(np.uint8)))

    def test_a_wrong_model(self) -> None:
        found = hydride.check(AVERAGE, lambda a, b: ((a.astype(int) + b) >> 1).astype(np.uint8), count=100)
        assert found is not None
        self.assertEqual(found.inputs, 100)
        self.assertGreater(found.mismatches, 50)
        a, b = found.args
        np.testing.assert_array_equal(found.expected, AVERAGE(a, b))
        self.assertTrue((found.found != found.expected).any())

    def test_one_of_two_results_is_wrong(self) -> None:
        def transposed(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            even, odd = SAMPLES["vtrn_u8"](a, b)
            return even, odd ^ 1

        found = hydride.check(SAMPLES["vtrn_u8"], transposed)
        assert found is not None
        np.testing.assert_array_equal(found.expected[0], found.found[0])
        self.assertEqual(found.mismatches, found.inputs)

    def test_instructions_model_themselves(self) -> None:
        for instruction in SAMPLES.instructions:
            with self.subTest(instruction.id):
                self.assertIsNone(hydride.check(instruction, instruction, count=20))

    def test_results_of_another_type(self) -> None:
        with self.assertRaisesRegex(TypeError, "_mm_avg_epu8: result dst of the model: 16 elements of uint8 expected"):
            hydride.check(AVERAGE, lambda a, b: a.astype(int))
        with self.assertRaisesRegex(TypeError, "_mm_avg_epu8 has 1 results, the model gives 2"):
            hydride.check(AVERAGE, lambda a, b: (a, b))


if __name__ == "__main__":
    unittest.main()
