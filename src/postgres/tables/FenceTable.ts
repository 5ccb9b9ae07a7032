/**
 * Who may write. Whoever writes under a fence names it and the epoch that it was given; the function says whether that is
 * still the one. The lock is shared until the write is done: whoever takes the fence away waits for it, so that there is no
 * write afterwards.
 */
export const fences = (schema: string): string => `
CREATE TABLE ${schema}.fences (
  name text COLLATE "C" PRIMARY KEY,
  epoch bigint NOT NULL,
  lapses timestamptz
);
CREATE FUNCTION ${schema}.fence_key(fence text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $fn$
  SELECT hashtextextended('bailiwick fence ${schema} ' || fence, 0)
$fn$;
CREATE FUNCTION ${schema}.fence_holds(fence text, held bigint) RETURNS boolean LANGUAGE plpgsql AS $fn$
BEGIN
  PERFORM ${schema}.durably();
  IF fence IS NULL THEN RETURN true; END IF;
  PERFORM pg_advisory_xact_lock_shared(${schema}.fence_key(fence));
  RETURN EXISTS (
    SELECT 1 FROM ${schema}.fences f
    WHERE f.name = fence AND f.epoch = held AND (f.lapses IS NULL OR f.lapses > clock_timestamp())
  );
END $fn$;
CREATE FUNCTION ${schema}.fence_claim(fence text, seconds double precision) RETURNS bigint LANGUAGE plpgsql AS $fn$
DECLARE given bigint;
BEGIN
  PERFORM ${schema}.durably();
  PERFORM pg_advisory_xact_lock(${schema}.fence_key(fence));
  INSERT INTO ${schema}.fences AS f (name, epoch, lapses)
    VALUES (fence, 1, clock_timestamp() + make_interval(secs => seconds))
    ON CONFLICT (name) DO UPDATE SET epoch = f.epoch + 1, lapses = EXCLUDED.lapses
    RETURNING f.epoch INTO given;
  RETURN given;
END $fn$;
CREATE FUNCTION ${schema}.fence_renew(fence text, held bigint, seconds double precision) RETURNS boolean LANGUAGE plpgsql AS $fn$
BEGIN
  PERFORM pg_advisory_xact_lock(${schema}.fence_key(fence));
  UPDATE ${schema}.fences f SET lapses = clock_timestamp() + make_interval(secs => seconds)
    WHERE f.name = fence AND f.epoch = held AND (f.lapses IS NULL OR f.lapses > clock_timestamp());
  RETURN FOUND;
END $fn$;
`
