"""The names of the library that screens and widgets use."""

from typing import TYPE_CHECKING

from ..errors import CtxError, InvalidBudget
from ..resolver.query_tests import QueryTest
from ..text.visible import visible

if TYPE_CHECKING:
    from ..builder.freshness import Freshness as Freshness
    from ..builder.verification import Verification as Verification
    from ..cache.documents import Document as Document
    from ..cache.documents import DocumentSummary as DocumentSummary
    from ..resolver.cache import Cache as Cache
    from ..resolver.comparison import Difference as Difference
    from ..resolver.query_tests import Outcome as Outcome

__all__ = ["CtxError", "InvalidBudget", "QueryTest", "visible"]
