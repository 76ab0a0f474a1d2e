"""Which of fourteen fields of work a statement belongs to, by a weighted vocabulary over its words and what surrounds it.

Used by `locate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from oida.ingestion.words import content_words, lemma

UNKNOWN_DOMAIN = "general"

_VOCABULARY: Mapping[str, str] = {
    "engineering": (
        "code deploy deployment release server database sql postgres mysql api backend frontend bug migration migrate schema "
        "query index cache latency timeout test staging production prod cluster node replica failover rollback branch merge "
        "commit build pipeline compile compiler module library framework python java kubernetes docker terraform infrastructure "
        "monitor metric alert outage incident p95 p99 cpu memory log logs software engine engineer engineering eng platform "
        "algorithm solver planner route routing app token sync retry backoff thread lock architecture adr pep version v1 v2 v3 "
        "config endpoint host hosting dns network repository function class type interface syntax parser cutover dual-write "
        "replication benchmark throughput debug patch firmware technical tech script job cron queue batch webhook sdk parallel "
        "row table column feed geocode"
    ),
    "product": (
        "feature roadmap user usability portal beta launch backlog story ux mvp onboard screen button form design-partner self- "
        "service adoption persona prototype notification web page dashboard release-note product"
    ),
    "finance": (
        "cost budget margin revenue price cash invoice loan covenant ebitda capex opex forecast profit loss account accounting "
        "audit quarter q1 q2 q3 q4 nok eur usd sek million kroner euro dollar expense spend spending cfo controller bank lender "
        "interest tax depreciation liquidity investment invest finance financial payable receivable payroll overrun saving"
    ),
    "legal": (
        "law legal contract clause regulation regulator compliance comply gdpr counsel lawyer liability paragraph § article "
        "statute licence license authorisation permit agreement court dispute inspectorate authority ruling directive annex "
        "terms storage-question consent gdp eea data-protection obligation entitle warranty penalty sue litigation legal- "
        "opinion letter guideline guidance opinion"
    ),
    "sales": (
        "customer deal offer price pricing negotiate negotiation renewal renew discount lead prospect pipeline-deal quote "
        "contract-value tender competitor account buyer client sell sale commercial crm churn upsell signature sign punctuality "
        "volume demand partner revenue-share win bid sales accounts"
    ),
    "operations": (
        "depot truck driver load loading dock door pallet warehouse shift night crew carrier route-plan delivery departure "
        "arrival queue dwell forklift freezer scanner handheld trailer lane fleet terminal gate slot logistics maintenance "
        "equipment plant site stock inventory supplier order machine line pick list yard vehicle tractor battery charge kwh "
        "fridge loader ops operation handling process procurement agency-hours ferry port weather"
    ),
    "people": (
        "hire hiring recruit candidate interview salary pay leave holiday vacation office remote hybrid on-call rotation "
        "burnout attrition turnover staff employee works-council union overtime rest sick handbook onboarding-new colleague "
        "team-morale position vacancy job-ad notice retention training people hr applicant referral compensation parental "
        "working-hour core-day escalation pager culture survey headcount freeze-hiring core week"
    ),
    "security": (
        "security phishing password mfa key hardware-key breach vulnerability attack malware encrypt encryption credential "
        "access sso pen-test cve exploit ransomware firewall audit-log secret leak certificate yubikey"
    ),
    "strategy": (
        "strategy strategic vision mission market growth position long-term acquisition merger board expansion company founder "
        "ambition goal direction bet 2027 2028 competitor portfolio identity father business"
    ),
    "marketing": (
        "marketing campaign brand advertising ad press newsletter seo social conversion website content event-booth audience "
        "blog launch-campaign media slogan"
    ),
    "design": (
        "design mockup figma wireframe colour color font typography layout logo icon accessibility visual illustration prototype ui"
    ),
    "research": (
        "research study experiment hypothesis survey sample participant interview-study literature paper analysis trial lab "
        "measurement methodology dataset finding scientific academic observation-study"
    ),
    "customer": (
        "support ticket complaint helpdesk customer-care satisfaction nps csat refund caller care response-time service-desk "
        "escalation-customer churn-reason"
    ),
    "data": (
        "data-warehouse etl dashboard-data analytics bi dataset model-training lineage dbt warehouse-data data-quality machine- "
        "learning statistics dataframe parquet pipeline-data"
    ),
}
DOMAINS: tuple[str, ...] = tuple(_VOCABULARY)


def _weights() -> dict[str, dict[str, float]]:
    """Word -> domain -> weight: a word that several domains share counts 1/n for each."""
    sharing: dict[str, list[str]] = {}
    for domain, words in _VOCABULARY.items():
        for word in dict.fromkeys(lemma(word) for word in words.split()):
            sharing.setdefault(word, []).append(domain)
    return {word: dict.fromkeys(domains, 1.0 / len(domains)) for word, domains in sharing.items()}


_WEIGHTS = _weights()


def domain_votes(text: str) -> dict[str, float]:
    """How strongly each domain's vocabulary shows in a text; each word once, absent domains left out."""
    votes: dict[str, float] = {}
    for word in dict.fromkeys(content_words(text)):
        for part in dict.fromkeys((word, *word.split("-"))):
            for domain, weight in _WEIGHTS.get(part, {}).items():
                votes[domain] = votes.get(domain, 0.0) + weight
    return votes


def domain_of(weighted_texts: Iterable[tuple[str, float]]) -> str:
    """The domain with most votes over (text, weight); "general" when no word tells; ties in the order of DOMAINS.

    >>> domain_of([("the contract has no renewal clause", 1.0), ("leadership", 0.5)])
    'legal'
    """
    total: dict[str, float] = {}
    for text, weight in weighted_texts:
        for domain, vote in domain_votes(text).items():
            total[domain] = total.get(domain, 0.0) + weight * vote
    return max(DOMAINS, key=lambda domain: total.get(domain, 0.0)) if total else UNKNOWN_DOMAIN
