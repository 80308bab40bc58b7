"""The allowed addresses of webhooks, their retries, and their signatures."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from askback.domain.webhooks import (
    GIVE_UP_S,
    AllowedTargets,
    WebhookTarget,
    decode_secret,
    encode_secret,
    is_private_target,
    is_public_address,
    parse_target,
    retry_at,
    sign,
    signature_matches,
)
from tests.requirements import requirement

REFUSED_URLS = [
    "ftp://hooks.example.com/", "file:///etc/passwd", "gopher://hooks.example.com/", "//hooks.example.com/", "hooks.example.com",
    "https://", "https:///x", "https://user@hooks.example.com/", "https://user:pass@hooks.example.com/", "https://hooks.example.com#x",
    "https://hooks.example.com:22/", "https://hooks.example.com:25/", "https://hooks.example.com:0/", "https://hooks.example.com:70000/",
    "https://hooks.example.com:+443/", "https://hooks.example.com\\@10.0.0.1/", "https://hooks.example.com /", "https://hooks.exa\tmple.com/",
    "https://127.1/", "https://0x7f.0.0.1/", "https://0x7f000001/", "https://2130706433/", "https://0177.0.0.1/", "https://127.0.0.1.0x0/",
    "https://[::1/", "https://[fe80::1%25eth0]/", "https://[127.0.0.1]/", "https://ⓔxample.com/", "https://例え.jp/", "https://a..b/",
    "https://-a.com/", "https://%31%32%37.0.0.1/", "https://hooks.example.com/\r\nX: y", "https://[::ffff:127.0.0.1", "https://a_b.com/", " https://a.com/",
]  # fmt: skip
INSIDE_URLS = [
    "https://localhost/", "https://LOCALHOST./", "https://a.localhost/", "https://printer.local/", "https://metadata.google.internal/",
    "https://intranet/", "https://db.lan:5432/", "https://nas.home.arpa/", "https://127.0.0.1/", "https://10.1.2.3/", "https://172.16.0.1/",
    "https://192.168.1.1/", "https://169.254.169.254/latest/meta-data/", "https://0.0.0.0/", "https://100.64.0.1/", "https://224.0.0.1/",
    "https://255.255.255.255/", "https://192.0.2.1/", "https://198.18.0.1/", "https://240.0.0.1/", "https://[::]/", "https://[::1]/",
    "https://[fe80::1]/", "https://[fc00::1]/", "https://[fd00:ec2::254]/", "https://[ff02::1]/", "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:a9fe:a9fe]/", "https://[64:ff9b::7f00:1]/", "https://[64:ff9b::169.254.169.254]/", "https://[64:ff9b:1::a00:1]/",
    "https://[2002:7f00:1::]/", "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/", "https://[::7f00:1]/", "https://[2001:db8::1]/",
    "https://[::ffff:0:7f00:1]/", "https://[fec0::1]/", "https://[100::1]/",
]  # fmt: skip


@requirement("I11")
@pytest.mark.parametrize("url", REFUSED_URLS)
def test_an_ambiguous_address_is_refused(url: str) -> None:
    assert parse_target(url) is None


@requirement("I11")
@pytest.mark.parametrize("url", INSIDE_URLS)
def test_a_private_target_is_recognized_by_name_or_address(url: str) -> None:
    webhook_target = parse_target(url)
    assert webhook_target is not None
    assert is_private_target(webhook_target)


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://Hooks.Example.com", WebhookTarget("https", "hooks.example.com", 443, "/")),
        ("http://hooks.example.com.:8080/a?b=c", WebhookTarget("http", "hooks.example.com", 8080, "/a?b=c")),
        ("https://1.1.1.1?x", WebhookTarget("https", "1.1.1.1", 443, "/?x")),
        ("https://[2606:4700::1111]:8443/x", WebhookTarget("https", "2606:4700::1111", 8443, "/x")),
        ("https://xn--r8jz45g.jp/", WebhookTarget("https", "xn--r8jz45g.jp", 443, "/")),
    ],
)
def test_a_public_address_is_read(url: str, target: WebhookTarget) -> None:
    webhook_target = parse_target(url)
    assert webhook_target == target
    assert not is_private_target(target)


def test_the_host_header_names_a_port_only_where_it_is_not_the_usual_one() -> None:
    urls = ("https://a.com/", "https://a.com:8443/", "http://[2606:4700::1]/", "http://[2606:4700::1]:443/")
    assert [webhook_target.authority for url in urls if (webhook_target := parse_target(url))] == [
        "a.com",
        "a.com:8443",
        "[2606:4700::1]",
        "[2606:4700::1]:443",
    ]


def test_a_translated_public_address_is_public() -> None:
    assert is_public_address(ip_address("64:ff9b::1.1.1.1"))
    assert is_public_address(ip_address("::ffff:1.1.1.1"))
    assert is_public_address(ip_address("2606:4700::1111"))


def test_only_targets_named_by_the_operator_are_allowed() -> None:
    allowed = AllowedTargets.parse(["hooks.lan", "10.1.0.0/16", "127.0.0.1", "fd00::/8"])
    for url, expected in {
        "https://hooks.lan/": True,
        "https://a.hooks.lan/": False,
        "https://10.1.255.1/": True,
        "https://10.2.0.1/": False,
        "https://127.0.0.1:9000/": True,
        "https://127.0.0.2/": False,
        "https://[fd12::1]/": True,
    }.items():
        webhook_target = parse_target(url)
        assert webhook_target is not None
        assert allowed.has_host(webhook_target) is expected, url


@pytest.mark.parametrize("entry", ["10.0.0.1/8", "10.0.0.0/99", "a b", "https://a.com", "127.1", "*", "a/8"])
def test_an_invalid_host_or_network_is_refused(entry: str) -> None:
    with pytest.raises(ValueError, match="."):
        AllowedTargets.parse([entry])


@requirement("G10")
def test_pauses_grow_from_seconds_to_hours_until_three_days_have_passed() -> None:
    now, tries, pauses = 0, 0, []
    while (retry_time := retry_at(seed="dlv_1", tries=(tries := tries + 1), since=0, now=now)) is not None:
        pauses.append((retry_time - now) / 1000)
        now = retry_time
    assert 4 <= pauses[0] <= 6
    assert max(pauses) <= 6 * 3600 * 1.2
    assert 15 <= len(pauses) <= 30
    assert GIVE_UP_S - 8 * 3600 < now / 1000 <= GIVE_UP_S


@requirement("G10")
def test_messages_that_failed_together_are_retried_at_different_times() -> None:
    retry_times = {retry_at(seed=f"dlv_{n}", tries=3, since=0, now=0) for n in range(50)}
    assert len(retry_times) > 45


@requirement("G10")
def test_a_receiver_may_ask_for_a_longer_pause_and_for_no_shorter_one() -> None:
    assert retry_at(seed="a", tries=1, since=0, now=0, retry_after=3600) == 3_600_000
    retry_time = retry_at(seed="a", tries=9, since=0, now=0, retry_after=1)
    assert retry_time is not None
    assert retry_time > 10_000_000
    assert retry_at(seed="a", tries=1, since=0, now=0, retry_after=1e12) == 24 * 3_600_000


SECRET, MESSAGE, AT, BODY = (
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "msg_p5jXN8AQM9LWM0D4loKWxJek",
    1_614_265_330,
    b'{"test": 2432232314}',
)
PUBLISHED = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@requirement("G10")
def test_a_signature_is_the_published_one_of_standard_webhooks() -> None:
    key = decode_secret(SECRET)
    assert key is not None
    assert sign(key, message_id=MESSAGE, timestamp=AT, body=BODY) == PUBLISHED
    assert encode_secret(key) == SECRET
    assert decode_secret(SECRET.removeprefix("whsec_")) == key


@requirement("G10")
def test_one_of_several_signatures_is_enough() -> None:
    other = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc="
    assert signature_matches(f"{other} v1a,xyz {PUBLISHED}", PUBLISHED)
    for header in ("", other, PUBLISHED.removeprefix("v1,"), PUBLISHED.replace("v1", "v2"), PUBLISHED[:-1]):
        assert not signature_matches(header, PUBLISHED)


@pytest.mark.parametrize("text", ["", "whsec_", "whsec_!!", "whsec_é"])
def test_other_values_are_not_read_as_secrets(text: str) -> None:
    assert decode_secret(text) is None
