"""Client of Argosy's API. It needs the standard library only, and uses httpx if you pass one of its clients."""

from . import types
from .client import Argosy, ArgosyError

__all__ = ["Argosy", "ArgosyError", "types"]
