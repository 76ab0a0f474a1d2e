"""The tables of a base, as numbered migrations: a base of any released version is brought forward when it is opened.

`ledger` is the ground state, the content tables lie beside it; every other table is a projection that may be dropped and rebuilt.
"""

from __future__ import annotations

INITIAL = """
create table meta(name text primary key, value text not null) strict;

create table ledger(
  position integer primary key,
  kind text not null,
  payload text not null,
  principal text not null,
  occurred_at text not null,
  recorded_at text not null,
  previous blob not null,
  digest blob not null
) strict;
create table ledger_subject(subject text not null, position integer not null, primary key(subject, position)) strict, without rowid;

create table item_content(
  item_id text not null,
  revision integer not null,
  native_id text not null,
  key blob not null,
  fingerprint text not null,
  body text not null,
  primary key(item_id, revision)
) strict;
create table statement_content(
  object_id text primary key,
  item_id text not null,
  revision integer not null,
  body text not null
) strict;
create index statement_content_item on statement_content(item_id);
create table evidence_content(edge_id text primary key, item_id text not null, body text not null) strict;

create table person(
  person_id text primary key, source_id text not null, name text not null, email text not null, handle text not null,
  is_bot integer not null
) strict;
create table entity(entity_id text primary key, name text not null) strict;
create table entity_alias(alias text primary key, entity_id text not null) strict;
create table problem(
  id integer primary key, recorded_at text not null, source_id text not null, stage text not null, item text not null,
  code text not null, message text not null, place text not null
) strict;
create unique index problem_once on problem(source_id, stage, item, code, place);
"""

PROJECTIONS = """
create table item(
  item_id text primary key, source_id text not null, kind text not null, revision integer not null, said_at integer not null,
  visibility text not null, withdrawn integer not null, redacted integer not null
) strict;
create index item_source on item(source_id);

create table object(
  object_id text primary key, item_id text not null, source_id text not null, ordinal integer not null, revision integer not null,
  entity text not null, domain text not null, epistemic_class text not null, epoch text not null, depth integer not null,
  author text not null, variant text not null, confidence real not null, stakes real not null, said_at integer not null,
  recorded_at integer not null, language text not null, classifier text not null, visibility text not null,
  withdrawn integer not null, redacted integer not null, declared_by_machine text not null, declared_by_person text not null,
  confirmed_at integer, duplicate_of text, status text not null, superseded_by text, resolved_by text, reinforced_at integer not null
) strict;
create index object_item on object(item_id);
create index object_list on object(epistemic_class, status);
create index object_duplicate on object(duplicate_of) where duplicate_of is not null;
create table object_visibility(
  object_id text not null, visibility_group text not null, primary key(object_id, visibility_group)
) strict, without rowid;

create table edge(
  edge_id text primary key, source text not null, edge_type text not null, target text not null, confidence real not null,
  method text not null, asserted_by text not null, said_at integer not null, recorded_at integer not null,
  retracted integer not null, retracted_by text not null, public integer not null
) strict;
create index edge_target on edge(target);
create index edge_source on edge(source);

create table group_member(
  visibility_group text not null, member text not null, primary key(visibility_group, member)
) strict, without rowid;
create table access_grant(
  principal text not null, visibility_group text not null, primary key(principal, visibility_group)
) strict, without rowid;
create table served_day(
  object_id text not null, principal text not null, day text not null, primary key(object_id, principal, day)
) strict, without rowid;
create table served(
  object_id text not null, grid_index integer not null, count integer not null, primary key(object_id, grid_index)
) strict, without rowid;
create table fact(name text primary key, value text not null) strict;
"""

SCORES = """
create table score(
  object_id text primary key, k real not null, usage real not null, dormant integer not null, grid_index integer not null
) strict, without rowid;
create table k_history(grid_index integer primary key, position integer not null, ids_digest blob not null, k blob not null) strict;
create table k_history_ids(ids_digest blob primary key, ids blob not null) strict, without rowid;
"""

ACCESS = """
create table access_key(
  key_id text primary key, name text not null, scopes text not null, secret_digest blob not null, created_at text not null,
  expires_at text, revoked_at text
) strict;
create unique index access_key_live on access_key(name) where revoked_at is null;
create table proposal(
  proposal_id text primary key, verb text not null, arguments text not null, visible_to text not null, proposed_by text not null,
  proposed_at text not null, state text not null, decided_by text not null, decided_at text, outcome text not null
) strict;
create index proposal_waiting on proposal(proposed_by) where state = 'waiting';
create table remembered_request(
  principal text not null, request_key text not null, request_digest blob not null, outcome text, recorded_at text not null,
  primary key(principal, request_key)
) strict, without rowid;
"""

FOLLOWING = """
create table connection(
  name text primary key, kind text not null, options text not null, secret_place text not null, secret_name text not null,
  source_id text not null, cursor text not null, read_at text
) strict;
create table job(
  job_id text primary key, source_id text not null, connection text not null, worker text not null, state text not null,
  started_at text not null, lease_until text not null, ended_at text, counts text not null, events integer not null,
  related integer not null, code text not null, message text not null
) strict;
create index job_started on job(started_at);
create table item_lease(item_id text primary key, worker text not null, lease_until text not null) strict;
create table failed_item(
  item_id text primary key, source_id text not null, native_id text not null, job_id text not null, attempts integer not null,
  code text not null, message text not null
) strict;
create index failed_item_source on failed_item(source_id);
create index item_content_native on item_content(native_id);
"""

LISTING = """
create index object_said on object(epistemic_class, status, said_at);
create index object_recorded on object(epistemic_class, recorded_at);
create index object_confidence on object(confidence);
create index object_domain on object(domain);
create index object_entity on object(entity);
create index edge_recorded on edge(edge_type, recorded_at);
create index edge_restricted on edge(edge_type) where not public;
"""

TELLING = """
create table webhook(
  name text primary key, url text not null, reader text not null, kinds text not null, secret_place text not null,
  secret_name text not null, created_at text not null, digest_hour integer not null, digested_at text, told text not null,
  private integer not null
) strict;
create table webhook_delivery(
  delivery_id text primary key, webhook text not null, kind text not null, keys text not null, created_at text not null,
  next_at text not null, since text, attempts integer not null, failed integer not null, message text not null
) strict;
create index webhook_delivery_due on webhook_delivery(next_at) where not failed;
"""

PROJECTION_TABLES = (
    "item",
    "object",
    "object_visibility",
    "edge",
    "group_member",
    "access_grant",
    "served_day",
    "served",
    "fact",
)

MIGRATIONS: tuple[str, ...] = (INITIAL + PROJECTIONS + SCORES, ACCESS, FOLLOWING, LISTING, TELLING)
"""Entry n brings a base from version n to n + 1; never edited after a release, only appended to."""
