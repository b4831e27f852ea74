"""What is taken out as a secret, what stays, and that hostile text costs no more than its length."""

from __future__ import annotations

import random
import string
import time
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.secrets import Redacted, find, redact

_dice = random.Random(5400)  # noqa: S311 - made-up tokens that are the same in every run


def _any(length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    # A digit, a capital and a small letter first, as in real ones, where the alphabet has them.
    head = [choice for choice in "7Qk" if choice in alphabet]
    return "".join(head + [_dice.choice(alphabet) for _ in range(length - len(head))])


_HEX = "0123456789abcdef"
_CAPITALS = string.ascii_uppercase + string.digits
_LINES = "\n".join(_any(64) for _ in range(5))


def _armour(kind: str) -> str:
    return f"-----BEGIN {kind}-----\n{_LINES}\n-----END {kind}-----"


# Twenty-two kinds: (text around it with {} for the secret, the secret). Assembled here, so that no scanner
# of repositories takes the table for a leak.
KINDS: dict[str, tuple[str, str]] = {
    "aws key id": ("{}", "AKIA" + _any(16, _CAPITALS)),
    "aws temporary key id": ("{}", "ASIA" + _any(16, _CAPITALS)),
    "aws pair": ("AKIA" + _any(16, _CAPITALS) + " / {}", _any(40)),
    "github personal": ("{}", "ghp" + "_" + _any(36)),
    "github oauth": ("{}", "gho" + "_" + _any(36)),
    "github server": ("{}", "ghs" + "_" + _any(36)),
    "github user": ("{}", "ghu" + "_" + _any(36)),
    "github fine-grained": ("{}", "github" + "_pat_" + _any(22) + "_" + _any(59)),
    "gitlab": ("{}", "glpat" + "-" + _any(20)),
    "openai": ("{}", "sk" + "-" + _any(48)),
    "openai project": ("{}", "sk" + "-proj-" + _any(40) + "_" + _any(20)),
    "anthropic": ("{}", "sk" + "-ant-api03-" + _any(80) + "-AA"),
    "slack": ("{}", "xoxb" + "-123456789012-123456789012-" + _any(24)),
    "stripe secret": ("{}", "sk" + "_live_" + _any(24)),
    "stripe restricted": ("{}", "rk" + "_live_" + _any(24)),
    "google": ("{}", "AIza" + _any(35)),
    "npm": ("{}", "npm" + "_" + _any(36)),
    "pypi": ("{}", "pypi" + "-AgEIcHlwaS5vcmc" + _any(80)),
    "hugging face": ("{}", "hf" + "_" + _any(34)),
    "json web token": ("{}", "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0." + _any(43)),
    "rsa block": ("{}", _armour("RSA PRIVATE " + "KEY")),
    "openssh block": ("{}", _armour("OPENSSH PRIVATE " + "KEY")),
    "pgp block": ("{}", _armour("PGP PRIVATE " + "KEY BLOCK")),
    "block without its end": ("{}", f"-----BEGIN PRIVATE {'KEY'}-----\n{_LINES}"),
    "address": ("postgres://shop:{}@db.example.com/shop", _any(12)),
    "address with a token": ("https://{}@git.example.com/ana/shop.git", _any(30)),
    "azure": ("AccountName=shop;Account" + "Key={};EndpointSuffix=core.example.com", _any(86) + "=="),
    "telegram": ("{}", "123456789:AAF" + _any(32)),
    "discord": ("{}", "MTE5" + _any(20) + "." + _any(6) + "." + _any(38)),
    "sendgrid": ("{}", "SG" + "." + _any(22) + "." + _any(43)),
    "twilio": ("{}", "AC" + _any(32, _HEX)),
    "password": ("password: {}", "hunter2hunter"),
    "password of letters": ("DB_PASSWORD={}", "correcthorse"),
    "like a variable": ("password: {}", "$up3rS3cret"),
    "in brackets of its own": ("password: {}", "{hunter22x}"),
    "like nothing": ("password={}", "none-of-5your-business"),
    "like a call": ("password: {}", "kP(9xLm2#"),
    "short word": ("pw: {}", "hunter2hunter"),
    "quoted with blanks": ('{{"password": "{}"}}', "my own pass word"),
    "in bold": ("**Passwort:** {}", "Sonne-2024"),
    "named server": ("Passwort für den Server: {}", "geheim1234"),
    "german sentence": ("Das Passwort lautet {}", "Sonnenblume"),
    "french": ("mot de passe : {}", "soleil2024"),
    "french key": ("clé API : {}", "abcd1234efgh"),
    "french sentence": ("le mot de passe est {}", "soleil2024"),
    "english sentence": ("The password is {}", "hunter22hunter"),
    "api key of hex digits": ('api_key = "{}"', _any(32, _HEX)),
    "curl user": ("curl -u ana:{} https://example.com", _any(12)),
    "curl user in quotes": (
        "curl -sSL -X POST --user 'ana:{}' https://example.com",
        "correct horse " + _any(4),
    ),
    "curl user over lines": ("curl \\\n  --silent \\\n  -uana:{} \\\n  https://example.com", _any(12)),
    "curl proxy": ("see `curl -k --proxy-user ana:{}`", _any(12)),
    "secret of hex digits": ("JWT_SECRET={}", _any(64, _HEX)),
    "token": ("token: {}", _any(24)),
    "bare key": ("key: {}", _any(20)),
    "cell of a table": ("| Password | {} |", "hunter2hunter"),
    "header": ("Authorization: Bearer {}", _any(30)),
    "option": ("mysql --password={} shop", "hunter22"),
    "netrc": ("machine example.com login ana password {}", "x1y2z3"),
}
PLACES = [
    "{}",
    "- **Lesson**: we once wrote {} here",
    '"{}"',
    "see `{}`",
    "before\n{}\nafter",
    "before\r\n{}\r\nafter",
    "{}, and more",
    "({})",
    "It was {}.",
    "> {}",
]
KEPT = [
    "commit 3e23fbf6a865bf89c99e881b4bf8f6d7cfd57cde",
    "sha256:3e23fbf6a865bf89c99e881b4bf8f6d7cfd57cded8126bbc30f47c177fe72ea8",
    "3e23fbf6a865bf89c99e881b4bf8f6d7cfd57cded8126bbc30f47c177fe72ea8",
    'id: "912e91734848"',
    '"artifactHashes":[],"id":"e29d39f52e49"}',
    "550e8400-e29b-41d4-a716-446655440000",
    "idempotency key: 550e8400-e29b-41d4-a716-446655440000",
    "cache key: 3e23fbf6a865bf89c99e881b4bf8f6d7cfd57cded8126bbc30f47c177fe72ea8",
    "password_hash: 3e23fbf6a865bf89c99e881b4bf8f6d7cfd57cded8126bbc30f47c177fe72ea8",
    "2026-10-19T02:13:48.840Z",
    "last token: 2026-11-30T03:17:04Z",
    "/home/ana/dev/shop/src/auth/token.py",
    "ssh key: ~/.ssh/id_ed25519.pub",
    "private key: config/keys/id_ed25519.pem",
    "The password must be at least 12 characters long.",
    "The password is required.",
    "the password was changed on 2026-11-30",
    "passwords are hashed with argon2id",
    "password: required",
    "Password: required for login",
    "password: ${DB_PASSWORD}",
    "password: <your password>",
    "password: ********",
    "api_key: $API_KEY",
    "password: {{ database_password }}",
    "password: <insert password>",
    "password: null",
    "stale token = conflict, nothing else",
    "token == Punctuation",
    'password = os.environ["DB_PASSWORD"]',
    "password = getpass.getpass()",
    "const token = getToken(request)",
    "token = request.headers.token",
    "token: bucket algorithm is used",
    "Secret management via Vault",
    "secret: see the vault",
    "Access token: 15-minute",
    "token: RS256-signed",
    "design token: color.primary.500",
    "max_tokens: 4096",
    "key: tenant_id",
    "Key: composite (tenant_id, created_at)",
    "monkey: bananas1234",
    "Das Passwort ist zu kurz.",
    "Le mot de passe est obligatoire.",
    "Schlüssel: docs/auth.md",
    "https://github.com/ana/shop.git",
    "git@github.com:ana/shop.git",
    "ssh://git@github.com/ana/shop.git",
    "curl -u ana https://example.com:8443/a",
    "curl -u ana:$PASSWORD https://example.com",
    'curl -u "ana:${SHOP_PASSWORD}" https://example.com',
    "curl -u ana:<password> https://example.com",
    "curl is used with -u name",
    "docker run -u 1000:1000 shop",
    "docker run --user node:node shop",
    "curl the page\ndocker run -u 1000:1000 shop",
    "http://localhost:3000/@fs/foo",
    "https://example.com:443/react@18",
    "sk-circle-fade-dot-animation-name",
    "risk-assessment-for-the-quarter",
    "npm_config_registry",
    "hf_hub_download",
    "1700000000:3e23fbf6a865bf89c99e881b4bf8f6d7cfd57cde",
    "12345678:550e8400-e29b-41d4-a716-446655440000",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJb ana@example.com",
    "Tokens: rate-limit, 429s, json_api",
    "Bearer authentication is used",
    "- **Status**: active",
]
# Beginnings of secrets, over and over: what makes a careless pattern slow.
NEAR_MISSES = [
    "a",
    "A1",
    " ",
    "\n",
    "/",
    "-",
    "_",
    '"',
    "password",
    "password=",
    'password="',
    "password for ",
    "password (",
    "password is ",
    "passwort lautet ",
    "token: a/",
    "token: a.",
    "token ",
    "key:a1B",
    "--api-key ",
    "eyJ",
    "eyJaaaaaaaaaa.",
    "AKIAAAAAAAAAAAAAAAAA ",
    "://",
    "://a:",
    "://a1",
    "http://a:b",
    "ghp_",
    "github_pat_",
    "sk-",
    "sk-proj-",
    "xoxb-",
    "SG.",
    "SG.aaaaaaaaaaaaaaaaa.",
    "1234567890:",
    "123456:a",
    "MaaaaaaaaaaaaaaaaaaaaaaaaA.",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nA: b\n",
    "---- BEGIN SSH2 PRIVATE KEY ----",
    "AccountKey=aaaa",
    "login ",
    "login a password ",
    "curl ",
    "curl -u",
    "curl -u a:",
    "curl \\\n",
    "curl -a",
    "authorization: bearer ",
    "password | ",
    "[REDACTED:",
    "[REDACTED:a:abcd]",
    "\u0130",
    "dapi",
    "x.atlasv1.",
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_secret_is_gone_wherever_it_stands(kind: str) -> None:
    around, secret = KINDS[kind]
    for place in PLACES:
        redacted = redact(place.format(around.format(secret)))
        assert redacted.count >= 1, place
        assert not [part for part in secret.split("\n") if part in redacted.text], place


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_secret_stays(text: str) -> None:
    for place in PLACES:
        whole = place.format(text)
        assert redact(whole) == Redacted(whole, 0, ())


@pytest.mark.parametrize(
    "text", ["Passwort: Sonnenblume", "Passwort: Sonnenblume, and more", "pwd: Sonnenblume (old)"]
)
def test_a_plain_word_after_password_is_the_password(text: str) -> None:
    assert "Sonnenblume" not in redact(text).text


def test_a_plain_word_that_a_sentence_goes_on_behind_is_prose() -> None:
    assert redact("Passwords: requirements differ").count == 0


def test_all_kinds_in_one_file_are_redacted_and_its_hashes_kept() -> None:
    kept = "\n".join(KEPT)
    text = kept + "\n\n" + "\n\n".join(around.format(secret) for around, secret in KINDS.values())
    redacted = redact(text)
    assert redacted.text.startswith(kept + "\n")
    assert not [kind for kind, (_, secret) in KINDS.items() if secret in redacted.text]
    assert len(KINDS) <= redacted.count == sum(count for _, count in redacted.kinds)


def test_the_mark_names_the_rule_and_tells_two_secrets_apart() -> None:
    secret = KINDS["github personal"][1]
    digits = sha256(secret.encode()).hexdigest()[:4]
    assert redact(f"a {secret} b") == Redacted(f"a [REDACTED:github:{digits}] b", 1, (("github", 1),))


def test_only_the_value_is_replaced_and_what_announces_it_stays() -> None:
    text = redact('url = "postgres://shop:s3cret@db/shop"\npassword: hunter2hunter, see above\n').text
    assert text.startswith('url = "postgres://shop:[REDACTED:url-login:')
    assert '@db/shop"\npassword: [REDACTED:labelled:' in text
    assert text.endswith("], see above\n")


def test_a_labelled_token_goes_under_the_name_of_its_maker() -> None:
    assert redact(f"token: {KINDS['gitlab'][1]}").kinds == (("gitlab", 1),)


def test_an_unfinished_private_block_ends_where_prose_begins() -> None:
    text = f"{KINDS['block without its end'][1]}\n\nAnd then we went on."
    assert redact(text).text.endswith("]\n\nAnd then we went on.")


def test_a_secret_after_a_mark_is_not_hidden_by_the_mark() -> None:
    secret = KINDS["npm"][1]
    assert secret not in redact(f"password=[REDACTED:npm:abcd]{secret}").text


def test_lines_are_named_without_the_secret() -> None:
    text = f"one\n{KINDS['npm'][1]}\nthree\npassword: hunter2hunter\n"
    assert find(text) == [(2, "npm"), (4, "labelled")]


def test_every_character_keeps_its_place_in_the_folded_text() -> None:
    secret = KINDS["npm"][1]
    before = "".join(map(chr, range(0x10FFFF + 1)))
    redacted = redact(f"{before}\nPASSWORD: {secret}")
    assert redacted.text.startswith(f"{before}\nPASSWORD: [REDACTED:npm:")


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from([around.format(secret) for around, secret in KINDS.values()]),
            st.sampled_from(KEPT + NEAR_MISSES),
            st.text(max_size=20),
        ),
        max_size=8,
    ).map(" ".join)
)
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text).text
    assert redact(once) == Redacted(once, 0, ())


@pytest.mark.parametrize("seed", NEAR_MISSES)
def test_near_misses_cost_no_more_than_their_length(seed: str, *, full: bool) -> None:
    size = 1 << (20 if full else 17)
    text = (seed * (size // len(seed) + 1))[:size]
    start = time.process_time()
    redact(text)
    # Measured: at most 0.9 s a MiB on a slow machine. A quadratic pattern needs minutes.
    assert time.process_time() - start < 4.0 * size / (1 << 20) + 0.5


@pytest.mark.parametrize(
    "head", ["password: ", 'password="', "token: a/", "key: ", "eyJ", "://a:", "Bearer "]
)
@pytest.mark.parametrize("tail", ["a", "A1", "a/", "a.", "a-", "=", "(", "a b "])
def test_one_endless_value_costs_no_more_than_its_length(head: str, tail: str, *, full: bool) -> None:
    size = 1 << (20 if full else 16)
    start = time.process_time()
    redact(head + tail * (size // len(tail)))
    assert time.process_time() - start < 4.0 * size / (1 << 20) + 0.5
