/**
 * The audit log: lines are added, and never changed or removed. Each writer numbers its own, so that one that is given
 * again, because nobody knows whether it was kept, is kept once.
 */
export const audit = (schema: string): string => `
CREATE TABLE ${schema}.audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  writer text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  at double precision,
  line text NOT NULL,
  kept timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (writer, n)
);
CREATE INDEX audit_at ON ${schema}.audit USING brin (at);
CREATE FUNCTION ${schema}.audit_keeps() RETURNS trigger LANGUAGE plpgsql AS $fn$
BEGIN
  RAISE EXCEPTION 'the audit log is only ever added to' USING ERRCODE = 'insufficient_privilege';
END $fn$;
CREATE TRIGGER audit_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON ${schema}.audit
  FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.audit_keeps();
ALTER TABLE ${schema}.audit ENABLE ALWAYS TRIGGER audit_kept;
CREATE FUNCTION ${schema}.audit_add(
  who text, first bigint, moments double precision[], lines text[], seen bigint, most integer,
  OUT last bigint, OUT others text[]
) LANGUAGE plpgsql AS $fn$
BEGIN
  PERFORM ${schema}.durably();
  INSERT INTO ${schema}.audit (writer, n, at, line)
    SELECT who, first + given.place - 1, given.moment, given.line
    FROM unnest(moments, lines) WITH ORDINALITY AS given (moment, line, place)
    ORDER BY given.place;
  SELECT max(a.id) INTO last FROM ${schema}.audit a;
  SELECT array_agg(found.name ORDER BY found.id DESC) INTO others FROM (
    SELECT a.writer || ':' || max(a.n) AS name, max(a.id) AS id FROM ${schema}.audit a
    WHERE a.id > greatest(seen, last - 10000) AND a.writer <> who
    GROUP BY a.writer ORDER BY max(a.id) DESC LIMIT most
  ) AS found;
END $fn$;
`
