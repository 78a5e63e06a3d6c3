"""The enums and the option types, which `recto` exports.

Generated from the table of operations by python/tests/generated: do not edit.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recto.enums import (
        ColorSpace,
        Conformance,
        FontFamily,
        OperationType,
        PageSize,
        Phase,
        Profile,
        Strategy,
        Unit,
    )
    from recto.options import (
        Margin,
        PageMargin,
        PixelSize,
        SquareSize,
        StampSize,
        TextStyle,
    )

__all__ = [
    "ColorSpace",
    "Conformance",
    "FontFamily",
    "Margin",
    "OperationType",
    "PageMargin",
    "PageSize",
    "Phase",
    "PixelSize",
    "Profile",
    "SquareSize",
    "StampSize",
    "Strategy",
    "TextStyle",
    "Unit",
]
