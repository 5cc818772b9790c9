"""Instructions on NumPy arrays: shapes, dtypes, batches, and values that other code knows."""

import threading
import unittest

import numpy as np

import hydride

SAMPLES = hydride.load("specs/sample")


def random(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    limits = np.iinfo(dtype)
    return np.random.default_rng(1).integers(limits.min, limits.max, shape, dtype, endpoint=True)


class Values(unittest.TestCase):
    """Results for many inputs against a few lines of NumPy."""

    def test_average_rounds_up(self) -> None:
        a, b = random((1000, 2, 16), np.uint8).swapaxes(0, 1)
        expected = (a.astype(int) + b + 1) >> 1
        np.testing.assert_array_equal(SAMPLES["_mm_avg_epu8"](a, b), expected)

    def test_signed_saturation(self) -> None:
        a, b = random((1000, 2, 8), np.int8).swapaxes(0, 1)
        found = SAMPLES["vqadd_s8"](a, b)
        self.assertEqual(found.dtype, np.int8)
        np.testing.assert_array_equal(found, np.clip(a.astype(int) + b, -128, 127))

    def test_results_have_another_shape_than_arguments(self) -> None:
        a, b = random((1000, 2, 8), np.int16).swapaxes(0, 1)
        found = SAMPLES["_mm_madd_epi16"](a, b)
        self.assertEqual((found.shape, found.dtype), ((1000, 4), np.int32))
        products = a.astype(np.int64) * b
        np.testing.assert_array_equal(found, (products[:, 0::2] + products[:, 1::2]).astype(np.int32))

    def test_several_results_are_a_tuple(self) -> None:
        a, b = np.arange(8, dtype=np.uint8), np.arange(8, 16, dtype=np.uint8)
        even, odd = SAMPLES["vtrn_u8"](a, b)
        np.testing.assert_array_equal(even, [0, 8, 2, 10, 4, 12, 6, 14])
        np.testing.assert_array_equal(odd, [1, 9, 3, 11, 5, 13, 7, 15])

    def test_an_instruction_without_arguments(self) -> None:
        self.assertFalse(SAMPLES["V6_vd0"]().any())

    def test_every_instruction_can_be_evaluated(self) -> None:
        for instruction in SAMPLES.instructions:
            with self.subTest(instruction.id):
                batched = instruction(*(sample(operand, (3,)) for operand in instruction.args))
                results = batched if isinstance(batched, tuple) else (batched,)
                self.assertEqual(len(results), len(instruction.results))
                batch = (3,) if instruction.args else ()
                for operand, result in zip(instruction.results, results):
                    self.assertEqual(result.shape, batch + hydride.arrays.shape(operand))
                    self.assertEqual(result.dtype, hydride.arrays.dtype(operand))


def sample(operand: hydride.Operand, batch: tuple[int, ...]) -> object:
    """A value of an operand for each item of a batch."""
    if operand.range is not None:
        return operand.range[1]
    dtype = hydride.arrays.dtype(operand)
    return np.ones(batch + hydride.arrays.shape(operand), dtype)


class Operands(unittest.TestCase):
    """What each kind of operand takes."""

    def test_masks_are_integers_or_bools(self) -> None:
        add = SAMPLES["_mm_maskz_add_epi8"]
        a = np.arange(16, dtype=np.uint8)
        bools = a % 3 == 0
        number = sum(1 << lane for lane in range(16) if bools[lane])
        expected = np.where(bools, 2 * a, 0)
        for mask in (bools, list(bools), number, np.uint16(number), np.int64(number)):
            np.testing.assert_array_equal(add(mask, a, a), expected)
        np.testing.assert_array_equal(add(np.array([0, number]), a, a), [np.zeros(16), expected])

    def test_a_mask_as_a_result_is_bools(self) -> None:
        a, b = random((7, 2, 16), np.int8).swapaxes(0, 1)
        found = SAMPLES["_mm_cmp_epi8_mask"](a, b, 1)
        self.assertEqual((found.shape, found.dtype), ((7, 16), np.bool))
        np.testing.assert_array_equal(found, a < b)

    def test_wide_masks_are_bools(self) -> None:
        a = random((128,), np.int8)
        found = SAMPLES["V6_vgtb"](a, np.zeros(128, np.int8))
        np.testing.assert_array_equal(found, a > 0)
        np.testing.assert_array_equal(SAMPLES["V6_pred_and"](found, (1 << 128) - 1), found)

    def test_scalars_are_integers_or_arrays_of_the_batch(self) -> None:
        count = SAMPLES["_tzcnt_u32"]
        self.assertEqual(count(40), 3)
        self.assertIsInstance(count(40), np.uint32)
        self.assertEqual(count(-1), 0)
        np.testing.assert_array_equal(count(np.array([1, 2, 0], np.uint32)), [0, 1, 32])
        with self.assertRaisesRegex(OverflowError, "_tzcnt_u32: argument a: 4294967296 does not fit 32 bits"):
            count(1 << 32)

    def test_a_scalar_that_holds_several_elements_is_one_number(self) -> None:
        [_, rt] = SAMPLES["V6_vmpyhsrs"].args
        self.assertEqual((rt.kind, rt.width, rt.element.width), ("scalar", 32, 32))
        halves = SAMPLES["V6_vmpyhsrs"](np.full(64, 0x4000, np.int16), 0x2000_4000)
        np.testing.assert_array_equal(halves, np.tile(np.array([0x2000, 0x1000], np.int16), 32))

    def test_immediates_are_in_their_range(self) -> None:
        shift = SAMPLES["vrshr_n_s8"]
        a = np.full(8, 5, np.int8)
        np.testing.assert_array_equal(shift(a, 1), np.full(8, 3))
        with self.assertRaisesRegex(ValueError, "vrshr_n_s8: argument n: 9 is not in the documented range 1 to 8"):
            shift(a, 9)
        with self.assertRaisesRegex(TypeError, "argument n: an immediate is an integer or an array of them, not float64"):
            shift(a, 1.0)
        np.testing.assert_array_equal(shift(a, np.array([1, 2])), [np.full(8, 3), np.full(8, 1)])

    def test_integers_of_the_other_sign_are_taken_bit_by_bit(self) -> None:
        a = np.full(16, -1, np.int8)
        np.testing.assert_array_equal(SAMPLES["_mm_add_epi8"](a, a), np.full(16, 254))

    def test_lists_are_read_with_the_documented_type(self) -> None:
        np.testing.assert_array_equal(SAMPLES["vadd_s16"]([1, 2, 3, -4], [1, 1, 1, 1]), [2, 3, 4, -3])
        with self.assertRaisesRegex(OverflowError, "vadd_s16: argument a"):
            SAMPLES["vadd_s16"]([1, 2, 3, 40000], [1, 1, 1, 1])

    def test_floating_point_elements_keep_their_bits(self) -> None:
        a, b = np.array([1, np.nan, -0.0, 4], np.float32), np.arange(4, dtype=np.float32)
        found = SAMPLES["_mm_blend_ps"](a, b, 0b0001)
        np.testing.assert_array_equal(found.view(np.uint32), np.array([0, np.nan, -0.0, 4], np.float32).view(np.uint32))

    def test_big_endian_and_strided_arrays(self) -> None:
        a = np.arange(16, dtype=">i2")[::2]
        np.testing.assert_array_equal(SAMPLES["_mm_abs_epi8"](np.full(16, -3, np.int8)), np.full(16, 3))
        np.testing.assert_array_equal(SAMPLES["_mm_hadd_epi16"](a, a)[:4], [2, 10, 18, 26])


class Inputs(unittest.TestCase):
    def test_inputs_are_those_of_validation(self) -> None:
        for instruction in SAMPLES.instructions:
            with self.subTest(instruction.id):
                inputs = instruction.inputs(50)
                self.assertEqual(len(inputs), len(instruction.args))
                for operand, values in zip(instruction.args, inputs):
                    self.assertGreaterEqual(len(values), 50)
                    self.assertEqual(values.shape[1:], hydride.arrays.shape(operand))
                    if operand.range is not None:
                        low, high = operand.range
                        self.assertTrue(((low <= values) & (values <= high)).all())
                instruction(*inputs)

    def test_inputs_are_extremes_and_random_numbers(self) -> None:
        a, b = SAMPLES["vqadd_s8"].inputs(1000)
        for extreme in (-128, -1, 0, 1, 127):
            self.assertTrue((a[:, 3] == extreme).any(), extreme)
        self.assertGreater(len(np.unique(a)), 250)
        np.testing.assert_array_equal(SAMPLES["vqadd_s8"].inputs(1000)[1], b)
        self.assertTrue((SAMPLES["vqadd_s8"].inputs(1000, seed=2)[1] != b).any())

    def test_every_immediate_occurs(self) -> None:
        _, n = SAMPLES["vrshr_n_s8"].inputs(10)
        self.assertEqual(set(n), set(range(1, 9)))


class Refusals(unittest.TestCase):
    """Messages for what does not fit."""

    def test_the_wrong_number_of_arguments(self) -> None:
        with self.assertRaisesRegex(TypeError, r"_mm_avg_epu8 takes 2 arguments \(a, b\), 1 were given"):
            SAMPLES["_mm_avg_epu8"](1)

    def test_other_elements(self) -> None:
        wide = np.zeros(8, np.uint16)
        with self.assertRaisesRegex(TypeError, r"argument a: 16 elements of uint8 expected, not uint16; .view\(\)"):
            SAMPLES["_mm_avg_epu8"](wide, wide)

    def test_too_few_elements(self) -> None:
        few = np.zeros((3, 8), np.uint8)
        with self.assertRaisesRegex(ValueError, r"16 elements of uint8 expected, the shape is \(3, 8\)"):
            SAMPLES["_mm_avg_epu8"](few, few)

    def test_batches_that_do_not_fit(self) -> None:
        with self.assertRaisesRegex(ValueError, r"_mm_avg_epu8: the batches cannot be broadcast: a \(2,\), b \(3,\)"):
            SAMPLES["_mm_avg_epu8"](np.zeros((2, 16), np.uint8), np.zeros((3, 16), np.uint8))

    def test_masks(self) -> None:
        add, a = SAMPLES["_mm_maskz_add_epi8"], np.zeros(16, np.uint8)
        with self.assertRaisesRegex(OverflowError, "argument k: 65536 does not fit 16 bits"):
            add(1 << 16, a, a)
        with self.assertRaisesRegex(OverflowError, "an integer does not fit the mask's 16 bits"):
            add(np.array([0, -1]), a, a)
        with self.assertRaisesRegex(ValueError, r"the mask has 16 bits"):
            add(np.zeros(8, bool), a, a)
        with self.assertRaisesRegex(TypeError, "a mask is an integer or an array of bool, not float64"):
            add(np.zeros(16), a, a)


class Batches(unittest.TestCase):
    """Leading axes."""

    def test_batches_are_broadcast(self) -> None:
        a, b = random((5, 1, 16), np.uint8), random((3, 16), np.uint8)
        found = SAMPLES["_mm_adds_epu8"](a, b)
        self.assertEqual(found.shape, (5, 3, 16))
        np.testing.assert_array_equal(found, np.minimum(a.astype(int) + b, 255))

    def test_an_empty_batch(self) -> None:
        empty = np.zeros((0, 16), np.uint8)
        self.assertEqual(SAMPLES["_mm_adds_epu8"](empty, empty).shape, (0, 16))

    def test_a_result_can_be_written(self) -> None:
        found = SAMPLES["_mm_adds_epu8"](np.zeros(16, np.uint8), np.zeros(16, np.uint8))
        found[0] = 1
        self.assertEqual(found.sum(), 1)

    def test_threads_evaluate_side_by_side(self) -> None:
        a, b = random((20_000, 2, 16), np.uint8).swapaxes(0, 1)
        average, results = SAMPLES["_mm_avg_epu8"], [None] * 4

        def evaluate(position: int) -> None:
            results[position] = average(a, b)

        threads = [threading.Thread(target=evaluate, args=(position,)) for position in range(len(results))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            np.testing.assert_array_equal(result, (a.astype(int) + b + 1) >> 1)


if __name__ == "__main__":
    unittest.main()
