"""Progress bars."""


class _Bar:
    def __init__(self, tqdm):
        self._bar = tqdm(total=1.0, bar_format="{l_bar}{bar}| {elapsed}<{remaining}")

    def __call__(self, fraction):
        self._bar.update(fraction - self._bar.n)
        if fraction >= 1.0:
            self._bar.close()


def bar():
    """A bar of tqdm, or None if it is not installed."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return _Bar(tqdm)
