"""Which of fourteen fields of work a statement belongs to, by a weighted vocabulary over its words and what surrounds it.

Used by `locate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from oida.ingestion.words import content_words, lemma

UNKNOWN_DOMAIN = "general"

_VOCABULARY: Mapping[str, str] = {
    "engineering": (
        "software! code! deploy! deployment! server! database! sql! postgres! mysql! api! backend! frontend! bug! migration! "
        "migrate schema! query index cache! latency! timeout! staging! production node! replica! failover! rollback! branch "
        "merge! commit build pipeline compiler! compile module library framework! python! java! kubernetes! docker! "
        "terraform! infrastructure monitoring metric outage! p95! p99! cpu! log engineer engineering! eng! platform "
        "algorithm! solver! planner routing app token sync retry! backoff! thread lock! architecture! adr! pep! config "
        "endpoint! host hosting dns! network repository! function syntax! parser! interface type cutover! dual-write! "
        "replication! benchmark! throughput! patch firmware! tech technical script cron! webhook! sdk! table column test "
        "suite regression graph incident post-mortem! dataset dongle rack! standby traffic-feed feed v1 v2 v3 implementation "
        "specification protocol tablet"
    ),
    "product": (
        "product! feature! roadmap! usability! portal! beta! backlog! story ux! mvp! onboard self-service! adoption! persona! "
        "notification! dashboard release launch user! session screen app-store font accessibility"
    ),
    "finance": (
        "cost! budget! margin! revenue! cash! invoice! loan! covenant! ebitda! capex! opex! forecast profit! loss! audit q1 "
        "q2 q3 q4 nok! eur! usd! sek! gbp! million! kroner! euro! dollar! expense! spend! spending! cfo! controller! bank! "
        "lender! interest tax! depreciation! liquidity! investment! invest finance! financial! payable! receivable! payroll! "
        "overrun! saving credit debt! price quarter pay payment"
    ),
    "legal": (
        "law! legal! contract clause! regulation! regulator! compliance! comply! gdpr! counsel! lawyer! liability! liable! "
        "paragraph! § article statute! licence! license! authorisation! permit! agreement court! dispute! inspectorate! "
        "inspector authority! ruling! directive! annex terms consent! gdp! eea! obligation! entitle! warranty! penalty! sue! "
        "litigation! guideline guidance! opinion notice lease! forbid! obliged! must interpretation! certificate act"
    ),
    "sales": (
        "customer deal! offer price pricing! negotiate! negotiation! renewal! renew! discount! lead prospect! quote! tender! "
        "competitor! account buyer! client! sell! sale! sales! commercial! crm! upsell! signature! punctuality! volume demand "
        "bid! rep! counter scorecard! relationship! win market partner dock-visit"
    ),
    "operations": (
        "depot truck driver load loading dock door pallet! warehouse! shift crew carrier! delivery departure arrival dwell! "
        "forklift! freezer! scanner! handheld! trailer! lane fleet! terminal gate slot logistics! maintenance! equipment! "
        "plant! site stock inventory! supplier machine line vehicle! tractor! battery charge kwh! fridge! loader! ops! "
        "operations! operation handling process procurement! ferry! port night queue yard! pick rota cabinet hall tunnel"
    ),
    "people": (
        "hire! hiring! recruit! recruiter! candidate! interview! salary! parental! leave holiday! vacation! office! remote! "
        "hybrid! on-call! rotation! burnout! attrition! turnover! staff! employee! works-council! union! overtime! rest! "
        "sick! sickness! handbook colleague! morale! vacancy! retention! training hr! applicant! referral! compensation! "
        "culture headcount! core-day! roster! pager! escalation! team people council! bonus! privacy camera! working-hour! "
        "week-off duty position! join resign! experienced junior senior"
    ),
    "security": (
        "security! phishing! password! mfa! hardware-key! breach! vulnerability! attack! malware! encrypt! encryption! "
        "credential! access sso! cve! exploit! ransomware! firewall! secret! leak! yubikey! intrusion! login! key permission"
    ),
    "strategy": (
        "strategy! strategic! vision! mission! market growth! long-term! acquisition! merger! board! expansion! founder! "
        "ambition! goal direction! bet! portfolio! identity! father founded! bankruptcy! crisis! competitor company future "
        "history"
    ),
    "marketing": (
        "marketing! campaign! brand! advertising! newsletter! seo! social conversion! website! audience! blog! slogan! press! "
        "media event-booth"
    ),
    "design": ("design! mockup! figma! wireframe! colour! color! typography! layout! logo! icon! visual! illustration! prototype! ui!"),
    "research": (
        "research! study experiment! survey! participant! literature! paper analysis trial lab! measurement methodology! "
        "scientific! academic! finding sample"
    ),
    "customer": (
        "support! ticket! complaint! helpdesk! customer-care! satisfaction! nps! csat! refund! caller! care response-time! "
        "service-desk! call-centre!"
    ),
    "data": (
        "data-warehouse! etl! analytics! bi! lineage! dbt! data-quality! machine-learning! statistics! dataframe! parquet! dataset! data"
    ),
}
"""The words of each domain; "!" marks those that hardly ever mean another, which count more."""

DOMAINS: tuple[str, ...] = tuple(_VOCABULARY)


TELLING = 2.0
"""Weight of a marked word; an unmarked one has 1, a domain's share of it if several domains list it."""


def _weights() -> dict[str, dict[str, float]]:
    sharing: dict[str, dict[str, float]] = {}
    for domain, words in _VOCABULARY.items():
        for word in words.split():
            sharing.setdefault(lemma(word.rstrip("!")), {})[domain] = TELLING if word.endswith("!") else 1.0
    return {word: {domain: weight / len(domains) for domain, weight in domains.items()} for word, domains in sharing.items()}


_WEIGHTS = _weights()


@lru_cache(maxsize=4096)
def domain_votes(text: str) -> Mapping[str, float]:
    """How strongly each domain's vocabulary shows in a text; each word once, absent domains left out."""
    votes: dict[str, float] = {}
    for word in dict.fromkeys(content_words(text)):
        for part in (word,) if word in _WEIGHTS else dict.fromkeys(word.split("-")):
            for domain, weight in _WEIGHTS.get(part, {}).items():
                votes[domain] = votes.get(domain, 0.0) + weight
    return votes


def domain_of(text: str, surroundings: Iterable[tuple[str, float]] = ()) -> str:
    """The domain with most votes of a text and of what surrounds it; "general" when no word tells; ties in the order of DOMAINS.

    Each of the `surroundings` has a weight in votes, shared out among its domains however long it is.

    >>> domain_of("there is no renewal clause", [("legal", 1.0)])
    'legal'
    """
    total = dict(domain_votes(text))
    for surrounding, weight in surroundings:
        votes = domain_votes(surrounding)
        everything = sum(votes.values())
        for domain, vote in votes.items():
            total[domain] = total.get(domain, 0.0) + weight * vote / everything
    return max(DOMAINS, key=lambda domain: total.get(domain, 0.0)) if total else UNKNOWN_DOMAIN
