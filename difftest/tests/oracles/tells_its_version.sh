#!/bin/sh
echo emulator version 1.2.3
