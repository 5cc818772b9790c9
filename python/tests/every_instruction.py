"""Evaluates every instruction of the documents in a folder on a few inputs: `every_instruction.py FOLDER`."""

import sys

import hydride

instructions = hydride.load(sys.argv[1]).instructions
for instruction in instructions:
    assert hydride.check(instruction, instruction, count=16) is None, instruction.id
print(len(instructions), "instructions")
