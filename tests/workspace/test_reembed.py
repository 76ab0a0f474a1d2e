"""Another embedding model takes over without a search being lost, and never answers for vectors that are not its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import stores
from tests.companies import company, open_base, said

from oida.adapters.database import SqliteDatabase
from oida.adapters.embedder.hashing import HashingEmbedder
from oida.adapters.store import SqliteStore
from oida.model.errors import ConflictError, InputError
from oida.ports import VectorIndex
from oida.workspace.reembed import Reembedded
from oida.workspace.workspace import Workspace

pytestmark = stores.needs_file

OTHER = HashingEmbedder(96)


def fresh_of(workspace: Workspace) -> VectorIndex:
    assert isinstance(workspace.store, SqliteStore)
    return workspace.store.vectors_of(OTHER.model_id, OTHER.dimension)


def reembedded(workspace: Workspace) -> Reembedded:
    store = workspace.store
    assert isinstance(store, SqliteStore)
    return workspace.reembed(OTHER, fresh=fresh_of(workspace), switch=lambda: store.use_embedding(OTHER.model_id, "elsewhere"))


def test_every_text_gets_a_vector_of_the_new_model_and_the_base_notes_it(tmp_path: Path) -> None:
    base = tmp_path / "base.db"
    with company(base) as workspace:
        objects = workspace.store.vectors.count()
        done = reembedded(workspace)
        assert Reembedded(OTHER.model_id, objects, objects, HashingEmbedder().model_id) == done
        assert (OTHER.model_id, "elsewhere") == SqliteStore.embedding_of(SqliteDatabase.open(base))
        assert objects == workspace.store.vectors.count()


def test_a_search_answers_while_vectors_are_made(tmp_path: Path) -> None:
    with company(tmp_path / "base.db") as workspace, open_base(tmp_path / "base.db") as reader:
        seen: list[int] = []
        store = workspace.store
        assert isinstance(store, SqliteStore)
        workspace.reembed(
            OTHER,
            fresh=fresh_of(workspace),
            switch=lambda: store.use_embedding(OTHER.model_id, ""),
            progress=lambda done, whole: seen.append(len(reader.search("vans at Moss"))),
        )
        assert seen
        assert all(seen)
        assert reader.search("vans at Moss")


def test_what_was_cut_short_goes_on_where_it_was(tmp_path: Path) -> None:
    with company(tmp_path / "base.db") as workspace:
        content = next(iter(workspace.store.contents.all_statements()))
        with workspace.store.transaction():
            fresh_of(workspace).add([content.object_id], OTHER.embed([content.text]))
        assert 1 == fresh_of(workspace).count()
        done = reembedded(workspace)
        assert done.objects - 1 == done.embedded


def test_a_process_with_the_former_model_writes_no_more_but_goes_on_reading(tmp_path: Path) -> None:
    with company(tmp_path / "base.db") as workspace, open_base(tmp_path / "base.db") as reader:
        reembedded(workspace)
        with pytest.raises(ConflictError, match="open it again"):
            reader.confirm(said(reader, next(iter(reader.store.contents.all_statements())).text))
        assert reader.search("vans at Moss")


def test_vectors_of_another_dimension_are_an_error_at_open(tmp_path: Path) -> None:
    with company(tmp_path / "base.db"):
        pass
    with pytest.raises(InputError, match="expected vectors of dimension"):
        SqliteStore(SqliteDatabase.open(tmp_path / "base.db"), model_id=HashingEmbedder().model_id, dimension=96)


def test_only_the_owner_changes_the_model(tmp_path: Path) -> None:
    with company(tmp_path / "base.db") as workspace:
        workspace.grant("somebody", "everyone")
    with open_base(tmp_path / "base.db") as opened:
        somebody = opened._like(principal="somebody")
        with pytest.raises(InputError, match="only the owner"):
            reembedded(somebody)
