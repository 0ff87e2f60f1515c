"""Runs Python code in a process of its own."""
import os
import pathlib
import subprocess
import sys
from typing import Any

TESTS = pathlib.Path(__file__).parent
SOURCES = TESTS.parent / "src"


def start(code: str, *arguments: str, **options: Any) -> "subprocess.Popen[str]":
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(TESTS), str(SOURCES), environment.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], env=environment, text=True, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)


def run(code: str, *arguments: str) -> str:
    process = start(code, *arguments)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0, output
    return output
