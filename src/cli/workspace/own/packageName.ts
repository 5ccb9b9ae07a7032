/** The package of what is imported: `@acme/tools` of `@acme/tools/text`. */
export const packageName = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")
