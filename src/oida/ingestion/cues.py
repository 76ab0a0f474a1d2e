"""Which words and headings hint at what a statement does: patterns by name, the order of the features.

English first, then the basic cues of German, Norwegian, French and Spanish. A hint, never a rule: the trained model weighs them.
"""

from __future__ import annotations

CUES: tuple[tuple[str, str], ...] = (
    (
        "question word first",
        r"^\W*(who|what|when|where|why|how|which|whose|wer|was|wann|wo|warum|wieso|wie|welche\w*|hva|hvem|når|hvor\w*|qui|que|"
        r"quoi|quand|où|pourquoi|comment|quel\w*|qué|quién\w*|cuándo|dónde|por qué|cómo|cuál\w*)\b",
    ),
    (
        "auxiliary first",
        r"^\W*(is|are|was|were|do|does|did|can|could|should|would|will|has|have|may|must|am|any|anyone|anybody|er|skal|kan|har|"
        r"ist|sind|kann|können|sollen|est-ce|peut-on|faut-il|hay|puede)\b",
    ),
    (
        "not known",
        r"\b(unclear|unknown|not (yet )?(known|clear|settled|decided|sure|certain)|(don'?t|do not|doesn'?t|nobody|no one|"
        r"none of us) knows?|undecided|unresolved|unsettled|tbd|to be (determined|decided|confirmed)|remains to be|"
        r"open (question|issue|point)s?|still open|wondering|wonder|figure out|need to (find out|know|understand|clarify)|"
        r"have not (heard|decided)|unklar|ungeklärt|offen|uklart|vet ikke|on ne sait pas|reste à|no sabemos|pendiente|"
        r"falta saber)\b",
    ),
    ("whether", r"\b(whether|if we (can|should)|ob|om vi|si nous|si podemos)\b"),
    (
        "polite request",
        r"\b(could|can|would|will) you\b|\bplease\b|\bkindly\b|\bbitte\b|\bkan du\b|\bvær så snill\b|\bs'il (te|"
        r"vous) pla[iî]t\b|\bpor favor\b|\blet me know\b",
    ),
    ("must", r"\b(must|shall|has to|have to|had to|muss|müssen|må|skal|doit|doivent|debe[n]?|tiene[n]? que)\b"),
    ("must in capitals", r"\b(MUST|SHALL|REQUIRED|SHOULD|MAY)\b"),
    (
        "forbidden",
        r"\b(must|may|shall|can|should)( not|n'?t)\b|\bcannot\b|\b(forbidden|prohibited|not (allowed|permitted)|disallowed|"
        r"never be|illegal|invalid|darf nicht|dürfen nicht|verboten|ikke lov|forbudt|interdit\w*|ne (peut|doit) pas|prohibid\w*|"
        r"no (puede|debe)\w*)\b",
    ),
    (
        "required",
        r"\b(requires?|required|requirements?|mandatory|obligat\w+|only (be|if|when|by|members?|people)|needs? to be|"
        r"is limited to|entitled|eligible|erforderlich|vorgeschrieben|kreves|påkrevd|obligatoire|obligatori\w+|requerid\w+)\b",
    ),
    ("allowed", r"\b(allowed|permitted|may (be|use|only|also|have|take)|can only|up to you)\b"),
    (
        "law or contract",
        r"\b(laws?|legal\w*|regulations?|contract\w*|clause|policy|policies|complian\w+|licen[cs]e\w*|gdpr|statut\w+|act|"
        r"agreement|covenant|permit|sla|standards?|gesetz\w*|vertrag\w*|verordnung|forskrift\w*|lov|kontrakt\w*|avtale\w*|loi|"
        r"contrat|règlement|ley|contrato|reglamento)\b|§",
    ),
    (
        "limit",
        r"\b(at most|at least|no (more|fewer|less|later) than|maximum|minimum|max|min|limit(s|ed)?|up to|cap(ped)?|exceed\w*|"
        r"within \d+|until|höchstens|mindestens|maks|minst|au (plus|moins)|máximo|mínimo)\b",
    ),
    (
        "decided",
        r"\b(decid\w+|agreed|agreement (to|that)|approved?|accepted|rejected|chosen|chose|choose|selected|resolved|adopt\w*|"
        r"vot(e|ed|ing)|consensus|motion|passed|ratified|signed off|go with|going with|settled on|entschieden|beschlossen|"
        r"genehmigt|vedtatt|bestemt|besluttet|godkjent|décidé\w*|approuv\w+|decidi\w+|aprob\w+|acord\w+)\b",
    ),
    (
        "we will use",
        r"\bwe (will|'ll|are going to|shall) (use|adopt|keep|move|switch|replace|not|stop|run|store|deploy|have)\b|\bwe (use|"
        r"do not use|don'?t use)\b",
    ),
    (
        "from now on",
        r"\b(from now on|going forward|as of|with (immediate )?effect|effective|starting|from (monday|tuesday|wednesday|"
        r"thursday|friday|today|tomorrow|\d)|instead of|replac\w+|supersed\w+|no longer|is (dropped|cancelled|off|out)|stays?|"
        r"ab sofort|fra og med|fra nå|à partir|dès|a partir|desde)\b",
    ),
    ("will", r"\b(will|won'?t|'ll|going to|gonna|wird|werden|vil|kommer til|va|vont|allons|va a|vamos a|vai)\b"),
    (
        "first person will",
        r"\b(i|we)('ll| will| shall| am going to| are going to|'m going to|'re going to)\b|\b(ich|wir) werde\w*|\b(jeg|"
        r"vi) (skal|vil|kommer til)\b|\bnous allons\b|\bvamos a\b",
    ),
    (
        "intention",
        r"\b(plans?|planned|planning|intend\w*|aim\w*|next steps?|action( item)?s?|to-?do|schedul\w+|roadmap|upcoming|"
        r"follow[- ]?up|propose[sd]?|want to|wants to|would like to|look(ing)? (at|into)|prepar\w+|goal|target|milestone|"
        r"working on|geplant|vorhaben|planlegg\w+|planen|prévu\w*|prévoi\w+|planea\w*|previst\w+)\b",
    ),
    (
        "later",
        r"\b(tomorrow|tonight|next (week|month|year|quarter|sprint|meeting|time|monday|tuesday|wednesday|thursday|friday)|soon|"
        r"later|in the future|future|by (the end|monday|tuesday|wednesday|thursday|friday|june|july|\d)|before (the|monday|"
        r"easter|summer)|eventually|q[1-4]|morgen|nächste\w*|bald|i morgen|neste|snart|demain|prochain\w*|bientôt|mañana|"
        r"próxim\w+|pronto)\b",
    ),
    (
        "imperative first",
        r"^\W*(\w+ to )?(add|create|update|review|write|check|move|remove|fix|send|ask|make|set|use|find|get|investigate|"
        r"document|schedule|open|close|test|try|ensure|follow|talk|publish|start|improve|contact|implement|migrate|discuss|"
        r"consider|see|read|click|run|go|enter|select|note|please|do|don'?t|keep|put|take|ping|submit|complete|email|include|"
        r"provide)\b",
    ),
    (
        "probably",
        r"\b(probably|perhaps|maybe|possibly|presumably|likely|unlikely|might|may (be|have|well)|could (be|have|well)|would (be|"
        r"have|mean)|must be|vielleicht|wahrscheinlich|vermutlich|könnte\w*|kanskje|trolig|sannsynligvis|kan være|peut-être|"
        r"probablement|pourrait|quizás?|tal vez|probablemente|podría\w*)\b",
    ),
    (
        "belief",
        r"\b(i (think|guess|suspect|believe|assume|bet|suppose|expect|doubt|hope)|we (think|suspect|believe|assume|expect|hope)|"
        r"my (guess|bet|theory|money|hunch)|hypothes\w+|theory|suspicion|suspect\w*|assum\w+|expect\w*|predict\w*|forecast|"
        r"hopefully|in theory|ich (glaube|denke|vermute)|jeg (tror|mistenker)|tror|je (pense|crois)|creo|sospech\w+)\b",
    ),
    (
        "cause",
        r"\b(because|caused?( by)?|due to|reasons?|explains?|blame|result of|leads? to|is why|since|thanks to|weil|wegen|fordi|"
        r"på grunn av|parce que|à cause|porque|debido)\b",
    ),
    ("if then", r"\b(if|unless|otherwise|would|wenn|falls|hvis|dersom|si)\b"),
    (
        "judging adjective",
        r"\b(good|better|best|bad|worse|worst|great|easy|easier|easily|hard|harder|difficult\w*|simple|simpl\w+|slow\w*|fast\w*|"
        r"quick\w*|risk\w*|useful|useless|nice|nicer|clear\w*|clean\w*|complex\w*|complicated|expensive|cheap\w*|important|"
        r"significant\w*|reasonable|acceptable|poor\w*|strong\w*|weak\w*|wrong|right|sensible|painful|confusing|awkward|elegant|"
        r"robust|safe\w*|reliable|efficient\w*|effective\w*|fair|helpful|valuable|excellent|terrible|ideal|gut|besser|"
        r"schlecht\w*|bra|bedre|dårlig\w*|bon\w*|meilleur\w*|mauvais\w*|buen\w*|mejor|mal\w*|peor)\b",
    ),
    (
        "judging noun",
        r"\b(advantages?|disadvantages?|drawbacks?|benefits?|downsides?|upsides?|trade-?offs?|pros|cons|worth|problems?|issues?|"
        r"concerns?|costs?|overhead|burden|pain|value|quality|mess|mistake|progress|success\w*|failure|overkill|lesson)\b",
    ),
    (
        "degree",
        r"\b(too|very|quite|rather|really|much|more|less|most|least|enough|extremely|highly|fairly|pretty|zu|sehr|for|veldig|"
        r"trop|très|muy|demasiad\w+)\b",
    ),
    (
        "should",
        r"\b(should|ought|shouldn'?t|recommend\w*|prefer\w*|suggest\w*|sollte\w*|bør|burde|devrait|devrions|debería\w*)\b",
    ),
    (
        "seen or heard",
        r"\b(i|we|he|she|they|people|someone|somebody|everyone|nobody)?\s?(notic\w+|saw|seen|see(ing)? (a|some|more|that)|heard|"
        r"hear|felt|feels?|look(s|ed|ing)? like|sounds? like|seem(s|ed)?|appear(s|ed)?|spotted|observ\w+|overheard|complain\w*|"
        r"mention\w*|gesehen|bemerkt|gehört|sett|så|hørte|merket|ser ut|vu|entendu|remarqué|vi(mos|sto)?|oí|not[éa]\w*|parece)\b",
    ),
    (
        "anecdotal",
        r"\b(again|today|tonight|this (morning|week|afternoon|evening)|last (night|week|time)|yesterday|lately|recently|"
        r"these days|the other day|twice|every time|suddenly|weird\w*|strange\w*|odd\w*|funny|oddly|people|someone|somebody|"
        r"everybody|everyone|nobody|heute|gestern|wieder|i dag|i går|i natt|igjen|hier|aujourd'hui|encore|hoy|ayer|otra vez)\b",
    ),
    (
        "measured",
        r"\b(measur\w+|tests?|tested|results?|logs?|logged|report\w*|show(s|ed|n)?|found|data|survey\w*|benchmark\w*|average|"
        r"median|mean|counts?|counted|total|rate|percent|audit\w*|records?|recorded|according to|states?|stated|documented|"
        r"confirmed|verified|profil\w+|n ?=|gemessen|ergab|målt|målinger|viser|viste|mesuré\w*|montre|medi(do|mos|ción)|"
        r"muestra)\b",
    ),
    ("number", r"\d"),
    ("percent or money", r"\d ?%|\bper ?cent\b|[$€£]\s?\d|\b(nok|eur|usd|sek|kr|euros?|dollars?|million|billion|mill)\b"),
    (
        "unit",
        r"\d\s?(ms|s|sec\w*|min\w*|h|hours?|days?|weeks?|months?|years?|kg|g|t|km|m|cm|mm|°c?|mb|gb|tb|kb|kw|kwh|l|x|times|"
        r"users?|people|rows?|requests?|nodes?|pods?|trucks?|cars?|pallets?)\b",
    ),
    (
        "clock or date",
        r"\b\d{1,2}:\d{2}\b|\b\d{4}-\d{2}-\d{2}\b|\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w* \d{1,2}\b|"
        r"\b\d{1,2}\.? (jan|feb|mar|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|des)\w*|\b(19|20)\d\d\b",
    ),
    (
        "was",
        r"\b(was|were|had|did|didn'?t|wasn'?t|weren'?t|war|waren|hatte\w*|wurde\w*|var|hadde|ble|était|étaient|avait|fue|fueron|"
        r"era|había)\b",
    ),
    ("has been", r"\b(has|have|'ve|'s) (been|already|just|now|not|never|\w+ed)\b|\balready\b|\bjust\b"),
    ("past tense", r"\b\w{3,}(ed|te|ten)\b"),
    (
        "is a",
        r"\b(is|are) (a|an|the|one of|called|known|used|responsible|part of|based|made|named|defined|designed|intended|"
        r"located)\b|\b(means?|refers? to|stands for|consists? of|includes?|contains?|provides?|describes?|defines?|represents?|"
        r"supports?|allows?|manages?|works? (by|with|on|as)|ist ein\w*|er en|est une?|es una?)\b",
    ),
    (
        "history",
        r"\b(founded|histor\w+|originally|used to|back (then|in|when)|years ago|since (19|20)\d\d|grew|started (as|in|out|with)|"
        r"began|came (from|about)|named after|always been|for years|tradition\w*|once|in the beginning|father|founder|gegründet|"
        r"früher|seit|grunnlagt|opprinnelig|tidligere|siden|fondé\w*|autrefois|depuis|fundad\w+|originalmente|antes)\b",
    ),
    (
        "who we are",
        r"\b(we are|our (team|company|mission|role|group|job|office|organi[sz]ation)|responsible for|role|in charge|team (is|"
        r"of)|members? of|reports? to|leads? the)\b",
    ),
    (
        "this document",
        r"\b(this (document|pep|section|page|guide|proposal|record|report|handbook|policy|module|repository)|described (in|"
        r"below|above|here)|defined in|the following|below|above|as follows|for (more|further) (info\w*|details))\b",
    ),
    (
        "example",
        r"\b(for (example|instance)|e\.?g\.?|such as|i\.?e\.?|namely|zum beispiel|for eksempel|par exemple|por ejemplo)\b",
    ),
    (
        "greeting",
        r"^\W*(hi|hello|hey|hei|heia|hallo|good (morning|afternoon|evening|luck|question|point|job)|morning|god morgen|"
        r"guten (morgen|tag)|bonjour|salut|hola|buenos días|welcome|dear)\b",
    ),
    (
        "thanks",
        r"\b(thanks?|thank you|thx|ty|cheers|appreciate|danke|takk|merci|gracias|obrigad[oa]|congrat\w*|gratulerer|herzlichen|"
        r"félicitations|enhorabuena|happy (birthday|friday|new)|sorry|apologies|excuse me|well done|nice (work|one)|great (job|"
        r"work))\b",
    ),
    (
        "laughter or cheer",
        r"\b(lol|haha+|hehe|ha|omg|wow|yay|cool|awesome|yep|yup|yeah|yes|nope|ok|okay|ack|sure|exactly|indeed|agreed|right|\+1|"
        r"done|nice|great|same|noted|ja|jo|nei|nein|oui|sí|vale|klar)\b|:[a-z_+\-0-9]+:|[\U0001F300-\U0001FAFF]|[;:]-?[)D(P]",
    ),
    (
        "short reply first",
        r"^\W*(yes|yeah|yep|no|nope|ok|okay|sure|right|well|so|oh|ah|um|uh|hmm?|mm+|and|but|or|cool|great|nice|thanks|lol|haha|"
        r"true|exactly|i see|got it|ja|nei|nein|oui|sí)\b",
    ),
    (
        "chat of the meeting",
        r"\b(lunch|coffee|beer|birthday|weekend|holiday|vacation|join(ing|ed)?|see you|meeting|agenda|attend\w*|introduc\w+|"
        r"announcement|slides|zoom|hangout|call in|dial|channel|kaffe|kake|cake|urlaub|ferie|pizza|weather)\b",
    ),
    ("i", r"\b(i|i'm|i've|i'd|i'll|my|me|ich|jeg|je|yo)\b"),
    ("we", r"\b(we|we're|we've|we'd|we'll|our|us|wir|unser\w*|vi|vår\w*|nous|notre|nos|nosotros|nuestr\w+)\b"),
    ("you", r"\b(you|your|you're|you'll|du|sie|ihr|deg|vous|votre|tu|usted\w*)\b"),
    ("they or it", r"\b(he|she|they|it|them|their|its|er|es|han|hun|de|det|il|elle|ils|ellos?|ella)\b"),
    (
        "not",
        r"\b(not|no|never|none|nothing|without|n't|nicht|kein\w*|nie|ikke|ingen|aldri|pas|jamais|aucun\w*|sin|nunca|"
        r"ningun\w*)\b|n't\b",
    ),
    ("but", r"\b(but|however|although|though|while|whereas|yet|despite|still|aber|jedoch|men|mais|pero|aunque)\b"),
    ("said by someone", r"^\W*[A-Z][\w.'-]+( [A-Z][\w.'-]+){0,2} ?(\([^)]*\) ?)?:\s|^\W*@\w+"),
    ("link", r"https?://|\]\(|<#|www\."),
    ("only a link", r"^\W*(\[[^\]]*\]\([^)]*\)|<?https?://\S+>?)\W*$"),
    (
        "see elsewhere",
        r"^\W*(see|read|cf|details|more|link|source|ref\w*|issue|pr|github|video|recording|notes?)\b.{0,40}(https?://|\[|#\d)",
    ),
    ("code", r"`|\(\)|[{};]\s*$|::|=>|->|==|\b\w+_\w+\b|\$ \w|--\w+|\b\w+\.(py|js|md|yml|yaml|json|com|org)\b"),
    ("mention", r"<@|@\w"),
    ("box", r"^\W{0,4}\[( |x|X)\]"),
    ("issue number", r"#\d+|\b[A-Z]{2,}-\d+\b"),
    ("all in brackets", r"^\s*[\[(].*[\])]\W*$"),
)
"""Looked for in the statement's text."""

HEADINGS: tuple[tuple[str, str], ...] = (
    ("decision", r"decision|decided|resolution|outcome|vote|entscheidung|beslutning|vedtak|décision|decisi"),
    (
        "context",
        r"context|background|situation|introduction|overview|about|history|abstract|summary|hintergrund|bakgrunn|contexte|"
        r"contexto",
    ),
    (
        "consequences",
        r"consequence|pros|cons|benefit|drawback|advantage|trade-?off|evaluation|konsekvens|conséquence|consecuencia",
    ),
    (
        "action",
        r"action|next step|to-?do|follow.?up|improvement|future|roadmap|plan|tasks?\b|aufgaben|tiltak|neste|prochaine|próximos",
    ),
    ("open question", r"open (question|issue|point)|unresolved|questions?\b|offene|åpne|ubesvart|abiert"),
    ("risk or assumption", r"risk|assumption|hypothes|theor|annahme|antakelse|risiko|hypothèse|supuesto"),
    (
        "rule",
        r"requirement|rule|polic|must|compliance|limit|eligib|constraint|specification|guideline|law|regel|krav|règle|requisito",
    ),
    ("timeline", r"timeline|^\W*\d{1,2}[:.]\d{2}|\d{4}-\d{2}-\d{2}|chronolog|incident|log\b|zeitlinie|tidslinje"),
    ("impact", r"impact|effect|result|measure|metric|finding|evidence|benchmark|data|ergebnis|resultat|funn"),
    ("lesson", r"lesson|went (well|wrong)|lucky|retrospective|learn|postmortem|post-mortem"),
    ("rationale", r"rationale|motivation|why|justification|reason|begründung|begrunnelse|motivos"),
    ("rejected", r"reject|alternative|option|considered|not chosen|variant|alternativ"),
    ("how to", r"how to|example|usage|tutorial|guide|instruction|steps?\b|install|teach|faq|getting|anleitung|veiledning"),
    ("links", r"links?\b|reference|further|see also|resource|footnote|copyright|contact|related"),
    ("people", r"attend|present\b|participants|invited|members|observers|deltak|teilnehmer"),
    ("announcement", r"announce|welcome|agenda|q&a|other|misc|housekeeping|intro"),
    ("discussion", r"discussion|minutes|notes|review|update|status|progress|referat|protokoll"),
    ("a person", r"^[A-Z][\w.'-]+( [A-Z][\w.'-]+){1,3}( \([^)]*\))?$|^(Hon|Mr|Ms|Mrs|Dr|The)\b"),
)
"""Looked for in the heading above it and in its item's title."""

STATES: tuple[tuple[str, str], ...] = (
    ("in force", r"accept|approv|adopt|final|active|in force|decided|agreed|done|implemented|closed|resolved"),
    ("ended", r"supersed|reject|withdraw|deprecat|replac|cancel|obsolet|abandon"),
    ("not yet", r"propos|draft|open|pending|todo|in progress|planned|deferred|provisional|review"),
)
"""Looked for in its item's status field."""
