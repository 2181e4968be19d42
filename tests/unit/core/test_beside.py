"""Work in a thread of its own."""

from __future__ import annotations

import sys
import threading

import pytest

from buildtool.core import beside


def test_the_result_is_waited_for() -> None:
    go_on = threading.Event()

    def work() -> int:
        go_on.wait(60)
        return threading.get_ident()

    result = beside.begun(work)
    go_on.set()
    assert result() != threading.get_ident()


def test_what_the_work_raises_is_raised_where_its_result_is_wanted() -> None:
    result = beside.begun(lambda: int("no number"))
    with pytest.raises(ValueError, match="no number"):
        result()


def test_a_module_that_cannot_be_imported_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "later", ["buildtool.no_such_module", "this"])
    monkeypatch.delitem(sys.modules, "this", raising=False)
    beside.import_later()
    assert "this" in sys.modules
