"""Random strings, the same in every run; a failing test prints its seed by its parameters."""

import random
import signal

import pytest

# Tests send Ctrl-C to programs that they start. A background job of a shell ignores it, and so would these.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def rng(request):
    return random.Random(request.node.name)


@pytest.fixture
def words(rng):
    """Function that makes random strings."""

    def make(count, longest=20, letters="abcd"):
        return ["".join(rng.choices(letters, k=rng.randint(0, longest))) for _ in range(count)]

    return make
