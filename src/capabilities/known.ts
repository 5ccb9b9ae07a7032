/** A copy of a payload with the keys of its schema only: what an operation does not describe does not reach it. */
export const known = <A extends object>(
  schema: { readonly fields: { readonly [K in keyof A]: unknown } },
  given: A
): A => Object.fromEntries(Object.entries(given).filter(([key]) => Object.hasOwn(schema.fields, key))) as A
