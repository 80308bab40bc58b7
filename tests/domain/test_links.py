"""Links of actions: the vectors, which the web page runs as well."""

from __future__ import annotations

from askback.domain.links import link_host
from tests.vectors.cases import cases


def test_links_have_the_targets_of_the_vectors() -> None:
    hosts = [(case["id"], link_host(case["url"])) for case in cases("links")]
    assert hosts == [(case["id"], case["host"]) for case in cases("links")]
    assert len(hosts) > 50
