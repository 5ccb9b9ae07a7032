/**
 * What is acknowledged is not lost, also where a database is set to acknowledge before it has written: then each write asks
 * for more. What is set to more than that stays.
 */
export const durably = (schema: string): string => `
CREATE FUNCTION ${schema}.durably() RETURNS void LANGUAGE plpgsql AS $fn$
BEGIN
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
END $fn$;
`
