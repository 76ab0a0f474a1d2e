"""How people sign in to a server, from what the user set."""

from __future__ import annotations

from oida.faces.signin.oidc import OpenIdConnect, Provider
from oida.faces.signin.pages import SignIn
from oida.faces.signin.passwords import password_file
from oida.faces.signin.sessions import Sessions
from oida.model.errors import InputError
from oida.settings import Settings


def sign_in_of(settings: Settings) -> SignIn:
    """The ways in that the settings name; raises InputError for a provider that is named by half."""
    wanted = settings.oidc
    provider = None
    if wanted.issuer:
        if not wanted.client_id or not wanted.public_url:
            raise InputError("expected OIDA_OIDC_CLIENT_ID and OIDA_PUBLIC_URL beside OIDA_OIDC_ISSUER")
        provider = OpenIdConnect(
            Provider(
                wanted.issuer,
                wanted.client_id,
                wanted.public_url,
                client_secret=wanted.client_secret,
                roles_claim=wanted.roles_claim,
                groups_claim=wanted.groups_claim,
                groups=wanted.groups,
            )
        )
    return SignIn(Sessions(), password_file=password_file(settings), provider=provider, secure=wanted.public_url.startswith("https://"))
