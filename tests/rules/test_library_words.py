from __future__ import annotations

import time

import pytest

from checker.rules.library_words import library_words


@pytest.mark.parametrize(
    ("stem", "word"),
    [
        ("libjpeg-9.4", "jpeg"),
        ("libfoo_2", "foo"),
        ("libfoo2", "foo"),
        ("libfoo..1", "foo."),
        ("libfoo.", "foo."),
        ("12.5", "12.5"),
    ],
)
def test_a_library_is_spoken_of_without_its_version(stem: str, word: str) -> None:
    assert word in library_words(stem)


def test_a_name_of_digits_takes_no_longer_than_another() -> None:
    begun = time.process_time()
    library_words("lib" + "1" * 200_000 + "x")
    assert time.process_time() - begun < 2
