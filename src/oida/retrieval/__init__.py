"""What answers a question, in which order, and what an agent is given of it; pure, imports `oida.model`.

Reads as `understand` -> `candidate_ids` -> `rank` -> `assemble` -> `render_markdown`; the workspace brings what the indexes found and
records what was served.
"""

from oida.retrieval.context.answer import Answer, answer, answer_values, render_answer
from oida.retrieval.context.assemble import SMALLEST_BUDGET_TOKENS, Shares, Surroundings, assemble
from oida.retrieval.context.render import context_values, inert, line_values, quoted, render_line, render_markdown
from oida.retrieval.question.intent import INTENTS, intent_of
from oida.retrieval.question.moments import Period, TimeHint, time_hint
from oida.retrieval.question.understand import Understanding, understand
from oida.retrieval.question.vocabulary import NameIndex, NameMatch, Vocabulary, folded_words, vocabulary_of
from oida.retrieval.ranking.attention import AttentionWeights, contextual_attention, effective_k
from oida.retrieval.ranking.candidates import FOUND_BY_EACH_INDEX, Candidate, candidate_ids
from oida.retrieval.ranking.fusion import FUSION, FusionProfile
from oida.retrieval.ranking.hybrid import EQUATION_4, HybridProfile
from oida.retrieval.ranking.profiles import DEFAULT_PROFILE, PROFILE_NAMES, profile_named
from oida.retrieval.ranking.rank import RankingProfile, rank
from oida.retrieval.ranking.similarity import (
    anchor_objects,
    hops_from,
    semantic_similarity,
    structural_similarity,
    topological_similarity,
)
from oida.retrieval.ranking.tag_and_boost import TAG_AND_BOOST, TagAndBoostProfile
from oida.retrieval.ranking.vesta import VESTA_PRESETS, VestaProfile, vesta

__all__ = [
    "DEFAULT_PROFILE",
    "EQUATION_4",
    "FOUND_BY_EACH_INDEX",
    "FUSION",
    "INTENTS",
    "PROFILE_NAMES",
    "SMALLEST_BUDGET_TOKENS",
    "TAG_AND_BOOST",
    "VESTA_PRESETS",
    "Answer",
    "AttentionWeights",
    "Candidate",
    "FusionProfile",
    "HybridProfile",
    "NameIndex",
    "NameMatch",
    "Period",
    "RankingProfile",
    "Shares",
    "Surroundings",
    "TagAndBoostProfile",
    "TimeHint",
    "Understanding",
    "VestaProfile",
    "Vocabulary",
    "anchor_objects",
    "answer",
    "answer_values",
    "assemble",
    "candidate_ids",
    "context_values",
    "contextual_attention",
    "effective_k",
    "folded_words",
    "hops_from",
    "inert",
    "intent_of",
    "line_values",
    "profile_named",
    "quoted",
    "rank",
    "render_answer",
    "render_line",
    "render_markdown",
    "semantic_similarity",
    "structural_similarity",
    "time_hint",
    "topological_similarity",
    "understand",
    "vesta",
    "vocabulary_of",
]
