"""Exceptions of swath."""


class Error(Exception):
    """Base class of all errors of swath."""


class InputError(Error, ValueError):
    """An argument that is out of its range, unknown, or not available for this task."""


class DeviceError(Error, RuntimeError):
    """A device that does not exist, cannot be opened, or was lost during a call."""


class MemoryLimitError(Error, MemoryError):
    """A call that needs more host or device memory than it may take."""


class InternalError(Error, RuntimeError):
    """A failure inside swath. Please report it."""
