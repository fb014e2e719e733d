"""The names of the library that screens and widgets use."""

from ..builder.sources import front_matter
from ..builder.verification import Verification
from ..cache.documents import Document, Heading
from ..errors import InvalidBudget
from ..resolver.cache import Cache
from ..resolver.comparison import Difference
from ..text.visible import visible

__all__ = [
    "Cache",
    "Difference",
    "Document",
    "Heading",
    "InvalidBudget",
    "Verification",
    "front_matter",
    "visible",
]
