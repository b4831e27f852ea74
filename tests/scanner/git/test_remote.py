"""Addresses of remotes without any credential."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner.git import open_repository
from scanner.git.remote import public_address
from tests.support import Git


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://github.com/o/r.git", "https://github.com/o/r.git"),
        ("https://user@github.com/o/r.git", "https://github.com/o/r.git"),
        ("https://user:hunter2@github.com/o/r.git", "https://github.com/o/r.git"),
        ("https://x-access-token:ghs_aaaaaaaaaaaaaaaaaaaa@github.com/o/r", "https://github.com/o/r"),
        ("HTTPS://u:p@Host:8443/o/r", "https://Host:8443/o/r"),
        ("https://u:p@[2001:db8::1]:8443/o/r", "https://[2001:db8::1]:8443/o/r"),
        ("https://host/o/r?private_token=abcdef#frag", "https://host/o/r"),
        ("https://host?private_token=abcdef", "https://host"),
        ("https://u:pa/ss@host/o/r", "https://host/o/r"),
        ("https://u:p@ss@host/o/r", "https://host/o/r"),
        ("https://host/@scope/pkg", "https://host/@scope/pkg"),
        ("ssh://git@github.com/o/r.git", "ssh://git@github.com/o/r.git"),
        ("ssh://git:secret@github.com:22/o/r.git", "ssh://github.com:22/o/r.git"),
        ("ssh://someone@host/o/r", "ssh://host/o/r"),
        ("git@github.com:o/r.git", "git@github.com:o/r.git"),
        ("git@[::1]:o/r.git", "git@[::1]:o/r.git"),
        ("someone@host:o/r.git", "host:o/r.git"),
        ("user:secret@host:o/r.git", "host:o/r.git"),
        ("host:o/r.git", "host:o/r.git"),
        ("user:secret@host/o/r", "host/o/r"),
        ("git://host/o/r", "git://host/o/r"),
        ("/srv/git/@team/r.git", "/srv/git/@team/r.git"),
        ("../r.git", "../r.git"),
        ("file:///srv/r.git", "file:///srv/r.git"),
        ("C:\\src\\r", "C:\\src\\r"),
        ("ext::sh -c 'curl -H token:abc'", "ext::"),
        ("hg::https://u:p@host/r", "hg::https://host/r"),
        ("codecommit::eu-west-1://profile@r", "codecommit::eu-west-1://r"),
        ("https://u:p@host/a\x1b[31mb\nc", "https://host/a[31mbc"),
        ("", ""),
    ],
)
def test_an_address_is_shown_without_credentials(address: str, shown: str) -> None:
    assert public_address(address) == shown


SECRETS = (
    "ghp_" + "aB3" * 12,
    "gho_" + "aB3" * 12,
    "ghs_" + "aB3" * 12,
    "ghr_" + "aB3" * 12,
    "github_pat_" + "11ABCDEFG0" * 8,
    "glpat-" + "xY9" * 7,
    "gldt-" + "xY9" * 7,
    "glrt-" + "xY9" * 7,
    "xoxb-" + "123456789012-" * 2 + "abcDEF",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "ASIA" + "IOSFODNN7EXAMPLE",
    "AIza" + "Sy0aB3" * 6,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + "c2lnbmF0dXJl",
    "ATATT3xFfGF0" + "aB3" * 12,
    "ATBB" + "aB3" * 10,
    "ATCTT3xFfGN0" + "aB3" * 12,
    "sk_live_" + "aB3" * 8,
    "sk-ant-" + "aB3" * 12,
    "rk_test_" + "aB3" * 8,
    "npm_" + "aB3" * 12,
    "pypi-" + "AgEIcHlwaS5vcmc" * 2,
    "dckr_pat_" + "aB3" * 9,
    "hf_" + "aB3" * 11,
    "dop_v1_" + "0a1b2c3d" * 8,
    "ya29." + "aB3" * 20,
    "SG." + "aB3" * 8 + "." + "aB3" * 14,
    "hvs." + "aB3" * 9,
    "abcdefghijklmnopqrstuvwxyz234567" + "abcdefghijklmnopqrst",
    "A" * 76 + "AZDO" + "Ab1d",
    "hunter2-correct-horse",
    base64.b64encode(b"user:correct horse battery").decode(),
    "p%40ss%2Fw0rd!$&'()*+,;=",
)
PLAIN_PLACES = (
    "https://{}@host.example/o/r.git",
    "https://user:{}@host.example/o/r.git",
    "https://{}:x-oauth-basic@host.example/o/r",
    "http://user:{}@host.example:8080/o/r",
    "https://oauth2:{}@host.example/o/r",
    "https://user:{}@host.example",
    "https://host.example/o/r?private_token={}",
    "https://host.example/o/r?a=b&access_token={}&c=d",
    "https://host.example/o/r#{}",
    "https://host.example/o/r;token={}",
    "https://host.example/token:{}/r",
    "ssh://user:{}@host.example/o/r",
    "ssh://{}@host.example/o/r",
    "git+ssh://git:{}@host.example/o/r",
    "user:{}@host.example:o/r",
    "{}@host.example:o/r",
    "https:/user:{}@host.example/o/r",
    "https:user:{}@host.example/o/r",
    "https:\\\\user:{}@host.example\\o\\r",
    "//user:{}@host.example/o/r".lstrip("/"),
    "ftp://user:{}@host.example/r",
    "svn+ssh://user:{}@host.example/r",
    "hg::https://user:{}@host.example/r",
    "ext::curl -u user:{} host.example",
    "https://us\ner:{}@host.example/o/r",
    "https://user:{}@host.example@other.example/o/r",
    "https://user:{}/x@host.example/o/r",
    "https://user:{}?x@host.example/o/r",
    "https://user:{}#x@host.example/o/r",
    "https:///user:{}@host.example/o/r",
)
SHAPED = tuple(secret for secret in SECRETS if not secret.startswith(("hunter2", "p%40", "dXNlcj")))


def test_thirty_shapes_of_secrets_survive_in_no_place() -> None:
    kept = [
        (place, secret)
        for place in PLAIN_PLACES
        for secret in SECRETS
        if secret in public_address(place.format(secret))
        or secret[4:] in public_address(place.format(secret))
    ]

    assert kept == []


def test_a_secret_of_a_known_shape_is_hidden_even_in_the_path() -> None:
    kept = [
        secret for secret in SHAPED if secret[8:] in public_address(f"https://host.example/dl/{secret}/o/r")
    ]

    assert kept == []


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="/@:?#\\"), min_size=8),
    st.sampled_from(PLAIN_PLACES[:8]),
)
def test_no_text_in_the_place_of_a_credential_survives(secret: str, place: str) -> None:
    shown = public_address(place.format("\u2318" + secret + "\u2318"))

    assert "\u2318" not in shown


@given(st.text())
def test_any_text_gives_an_address_without_control_characters(text: str) -> None:
    shown = public_address(text)

    assert all(" " < char < "\x7f" or char > "\xa0" for char in shown)
    assert len(shown) <= 3 * 2048


def test_stripping_twice_changes_nothing_more() -> None:
    once = [public_address(place.format(secret)) for place in PLAIN_PLACES for secret in SECRETS]

    assert [public_address(shown) for shown in once] == once


@pytest.mark.parametrize(
    ("configuration", "shown"),
    [
        ({"remote.origin.url": "https://u:p@host/o/r"}, "https://host/o/r"),
        ({"remote.b.url": "host:b", "remote.origin.url": "host:o"}, "host:o"),
        ({"remote.b.url": "host:b", "remote.origin.url": "host:o", "branch.main.remote": "b"}, "host:b"),
        ({"remote.only.url": "host:only"}, "host:only"),
        ({"remote.a.url": "host:a", "remote.b.url": "host:b"}, None),
        ({"branch.main.remote": "https://u:p@host/direct"}, "https://host/direct"),
        ({"remote.origin.url": "short:x", "url.https://u:p@host/.insteadOf": "short:"}, "short:x"),
        ({}, None),
    ],
)
def test_the_default_remote_is_the_upstream_then_origin_then_the_only_one(
    git: Git, configuration: dict[str, str], shown: str | None
) -> None:
    path = git.repository("p")
    for key, value in configuration.items():
        git("config", key, value, cwd=path)

    with open_repository(str(path)) as repository:
        assert repository.remote_url() == shown
