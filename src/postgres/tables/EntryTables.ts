/**
 * What tools keep. Names are texts that compare by their bytes; a value is its bytes, because a text of PostgreSQL holds
 * neither a NUL nor half of a character. Triggers keep the sums of each namespace, so that no way to remove an entry can
 * forget them. Writes in one namespace wait for each other: the quota is exact.
 */
export const entries = (schema: string): string => `
CREATE TABLE ${schema}.entries (
  namespace text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  value bytea NOT NULL,
  bytes bigint NOT NULL,
  expires double precision,
  PRIMARY KEY (namespace, key)
);
CREATE INDEX entries_expiring ON ${schema}.entries (expires) WHERE expires IS NOT NULL;
CREATE INDEX entries_expiring_within ON ${schema}.entries (namespace, expires) WHERE expires IS NOT NULL;
CREATE TABLE ${schema}.usage (
  namespace text COLLATE "C" PRIMARY KEY,
  entries bigint NOT NULL,
  bytes bigint NOT NULL
);
CREATE FUNCTION ${schema}.count_entries() RETURNS trigger LANGUAGE plpgsql AS $fn$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE ${schema}.usage u SET entries = u.entries - 1, bytes = u.bytes - OLD.bytes
      WHERE u.namespace = OLD.namespace;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO ${schema}.usage AS u VALUES (NEW.namespace, 1, NEW.bytes)
      ON CONFLICT (namespace) DO UPDATE SET entries = u.entries + 1, bytes = u.bytes + NEW.bytes;
  ELSE
    DELETE FROM ${schema}.usage u WHERE u.namespace = OLD.namespace AND u.entries = 0;
  END IF;
  RETURN NULL;
END $fn$;
CREATE TRIGGER entries_counted AFTER INSERT OR UPDATE OR DELETE ON ${schema}.entries
  FOR EACH ROW EXECUTE FUNCTION ${schema}.count_entries();
CREATE FUNCTION ${schema}.namespace_key(name text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $fn$
  SELECT hashtextextended('bailiwick entries ${schema} ' || name, 0)
$fn$;
CREATE FUNCTION ${schema}.entry_write(
  space text, name text, swaps boolean, expected bytea, given bytea, size bigint, until double precision,
  moment double precision, most_entries double precision, most_bytes double precision, fence text, held bigint,
  OUT outcome text, OUT has_entries bigint, OUT has_bytes bigint, OUT adds_entries bigint, OUT adds_bytes bigint
) LANGUAGE plpgsql AS $fn$
DECLARE
  there ${schema}.entries;
  swept boolean := false;
BEGIN
  outcome := 'fenced';
  IF NOT ${schema}.fence_holds(fence, held) THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock(${schema}.namespace_key(space));
  IF swaps THEN
    SELECT * INTO there FROM ${schema}.entries e
      WHERE e.namespace = space AND e.key = name AND (e.expires IS NULL OR e.expires > moment);
    outcome := 'differs';
    IF there.value IS DISTINCT FROM expected THEN RETURN; END IF;
  END IF;
  IF given IS NULL THEN
    DELETE FROM ${schema}.entries e WHERE e.namespace = space AND e.key = name;
    outcome := 'done';
    RETURN;
  END IF;
  LOOP
    SELECT u.entries, u.bytes INTO has_entries, has_bytes FROM ${schema}.usage u WHERE u.namespace = space;
    has_entries := coalesce(has_entries, 0);
    has_bytes := coalesce(has_bytes, 0);
    SELECT * INTO there FROM ${schema}.entries e WHERE e.namespace = space AND e.key = name;
    adds_entries := CASE WHEN there.key IS NULL THEN 1 ELSE 0 END;
    adds_bytes := size - coalesce(there.bytes, 0);
    EXIT WHEN (adds_entries <= 0 OR has_entries + adds_entries <= most_entries)
      AND (adds_bytes <= 0 OR has_bytes + adds_bytes <= most_bytes);
    outcome := 'full';
    IF swept THEN RETURN; END IF;
    DELETE FROM ${schema}.entries e WHERE e.namespace = space AND e.expires <= moment;
    swept := true;
  END LOOP;
  INSERT INTO ${schema}.entries VALUES (space, name, given, size, until)
    ON CONFLICT (namespace, key) DO UPDATE
    SET value = EXCLUDED.value, bytes = EXCLUDED.bytes, expires = EXCLUDED.expires;
  outcome := 'done';
END $fn$;
CREATE FUNCTION ${schema}.entries_clear(space text, most integer, fence text, held bigint) RETURNS integer
LANGUAGE plpgsql AS $fn$
DECLARE removed integer;
BEGIN
  IF NOT ${schema}.fence_holds(fence, held) THEN RETURN -1; END IF;
  PERFORM pg_advisory_xact_lock(${schema}.namespace_key(space));
  DELETE FROM ${schema}.entries e WHERE e.namespace = space AND e.key IN (
    SELECT o.key FROM ${schema}.entries o WHERE o.namespace = space LIMIT most
  );
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN removed;
END $fn$;
CREATE FUNCTION ${schema}.entries_sweep(moment double precision, most integer) RETURNS integer
LANGUAGE plpgsql AS $fn$
DECLARE
  space text;
  removed integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('bailiwick sweep ${schema}', 0)) THEN RETURN 0; END IF;
  SELECT e.namespace INTO space FROM ${schema}.entries e WHERE e.expires <= moment ORDER BY e.expires LIMIT 1;
  IF space IS NULL THEN RETURN 0; END IF;
  PERFORM pg_advisory_xact_lock(${schema}.namespace_key(space));
  DELETE FROM ${schema}.entries e WHERE e.namespace = space AND e.key IN (
    SELECT o.key FROM ${schema}.entries o WHERE o.namespace = space AND o.expires <= moment LIMIT most
  );
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN removed;
END $fn$;
`
