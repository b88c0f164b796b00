"""Runs Vowpal Wabbit's own driver from its Python package, where there is no `vw` program."""
import sys

from vowpalwabbit import pyvw

pyvw.Workspace(" ".join(sys.argv[1:])).finish()
