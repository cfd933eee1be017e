"""Sets how often Python's garbage collector looks for cycles.

Python looks after 700 or 2,000 new objects, and from time to time through all objects there are. A program
with 800 runs holds some 200,000. A run leaves no cycles, so it is freed at once when it is over, and the
collector takes a quarter of the processor time to find nothing.
"""

import gc

NEW_OBJECTS = 20_000
"""A look takes some milliseconds."""
_PYTHONS_OWN = (700, 2_000)
"""Python's own thresholds, up to 3.12 and since."""


def collect_less_often() -> None:
    """Have cycles looked for after 20,000 new objects, unless the program has set a number of its own."""
    new, *older = gc.get_threshold()
    if new in _PYTHONS_OWN:
        gc.set_threshold(NEW_OBJECTS, *older)
