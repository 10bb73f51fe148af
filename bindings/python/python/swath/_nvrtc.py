"""NVRTC, CUDA's run-time compiler, of NVIDIA's Python packages."""

import contextlib
import ctypes
import importlib.util
from pathlib import Path

# nvidia-cuda-nvrtc-cu12 and nvidia-cuda-nvrtc, on Linux and on Windows.
FILES = ("*/lib/libnvrtc.so.*", "*/bin/nvrtc64_*_0.dll", "*/bin/*/nvrtc64_*_0.dll")


def load():
    """Loads it, so that the library finds it by its name: the loader does not search site-packages."""
    nvidia = importlib.util.find_spec("nvidia")
    for folder in (nvidia and nvidia.submodule_search_locations) or ():
        for file in (file for pattern in FILES for file in Path(folder).glob(pattern)):
            with contextlib.suppress(OSError):
                ctypes.CDLL(str(file))
