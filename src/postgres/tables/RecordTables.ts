/**
 * Records by their ids. Each change takes the next number, and the row of numbers is held until it is done: whoever has
 * seen a number has seen all before it. A record that was removed leaves its id, so that others hear of it; its text is in
 * the trash.
 */
export const records = (schema: string): string => `
CREATE TABLE ${schema}.records (
  id text COLLATE "C" PRIMARY KEY,
  content bytea,
  changed bigint NOT NULL
);
CREATE UNIQUE INDEX records_changed ON ${schema}.records (changed);
CREATE TABLE ${schema}.records_trash (
  id text COLLATE "C" NOT NULL,
  content bytea NOT NULL,
  removed timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE ${schema}.records_number (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  n bigint NOT NULL
);
INSERT INTO ${schema}.records_number VALUES (true, 0);
CREATE FUNCTION ${schema}.record_write(
  name text, seen bigint, given bytea, fence text, held bigint
) RETURNS text LANGUAGE plpgsql AS $fn$
DECLARE
  there ${schema}.records;
  number bigint;
BEGIN
  IF NOT ${schema}.fence_holds(fence, held) THEN RETURN 'fenced'; END IF;
  UPDATE ${schema}.records_number SET n = n + 1 RETURNING n INTO number;
  SELECT * INTO there FROM ${schema}.records r WHERE r.id = name;
  IF seen IS NULL THEN
    IF there.content IS NOT NULL THEN RETURN 'exists'; END IF;
  ELSIF there.content IS NULL OR there.changed <> seen THEN
    RETURN 'changed';
  END IF;
  IF given IS NULL THEN
    INSERT INTO ${schema}.records_trash (id, content) VALUES (name, there.content);
  END IF;
  INSERT INTO ${schema}.records VALUES (name, given, number)
    ON CONFLICT (id) DO UPDATE SET content = EXCLUDED.content, changed = EXCLUDED.changed;
  RETURN 'done';
END $fn$;
`
