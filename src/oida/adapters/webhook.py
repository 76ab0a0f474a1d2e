"""Messages to addresses that somebody wants to be told at: no redirects, no proxies, and no network that is not public.

The name is resolved once and the connection made to the address that was looked at, so that a name cannot mean another place a moment
later.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Mapping
from urllib.parse import urlsplit

from oida.model.errors import InputError, UnavailableError

TIMEOUT_SECONDS = 15.0


def checked_url(url: str, *, private: bool) -> str:
    """An address that may be told: https, or http where the network is private; raises InputError for any other.

    >>> checked_url("https://hooks.example.org/oida?team=ops", private=False)
    'https://hooks.example.org/oida?team=ops'
    """
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise InputError(f"expected an address such as https://hooks.example.org/oida, found {url[:80]!r}") from None
    if parts.username or parts.password or parts.fragment or not host:
        raise InputError(f"expected an address such as https://hooks.example.org/oida, found {url[:80]!r}")
    if parts.scheme != "https" and not (private and parts.scheme == "http"):
        raise InputError(f"expected an https address (http only with --private), found {url[:80]!r}")
    return url.strip()


class HttpWebhookSender:
    """A `WebhookSender` over HTTP."""

    def post(self, url: str, *, headers: Mapping[str, str], body: bytes, private: bool) -> int:
        """The status of one POST; raises UnavailableError where nothing answers or the address lies where it may not."""
        try:
            import httpx2
        except ImportError:
            raise UnavailableError("expected httpx2 for webhooks; pip install 'oida[client]' brings it") from None
        parsed = httpx2.URL(checked_url(url, private=private))
        address = _address_of(parsed.host, parsed.port or (443 if parsed.scheme == "https" else 80), private=private)
        host = parsed.host if parsed.port is None else f"{parsed.host}:{parsed.port}"
        try:
            with httpx2.Client(follow_redirects=False, trust_env=False, timeout=TIMEOUT_SECONDS) as client:
                request = client.build_request("POST", parsed.copy_with(host=address), headers={**headers, "host": host}, content=body)
                request.extensions["sni_hostname"] = parsed.host
                reply = client.send(request, stream=True)
                reply.close()
                status: int = reply.status_code
                return status
        except httpx2.HTTPError as error:
            raise UnavailableError(f"{parsed.scheme}://{host} does not answer: {type(error).__name__}") from None


def _is_public(address: str) -> bool:
    found = ipaddress.ip_address(address.partition("%")[0])
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return (mapped or found).is_global


def _address_of(host: str, port: int, *, private: bool) -> str:
    try:
        found = [str(each[4][0]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        raise UnavailableError(f"expected the address of {host}, found none") from None
    inside = [each for each in found if not _is_public(each)]
    if inside and not private:
        raise UnavailableError(f"expected {host} in a public network, found {inside[0]}; a webhook added with --private may lie there")
    return found[0]
