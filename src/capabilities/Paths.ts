/**
 * @since 0.1.0
 */

/**
 * What relative paths and `~` stand for in one turn.
 *
 * @since 0.1.0
 * @category models
 */
export interface Paths {
  readonly workdir: string
  readonly home?: string | undefined
}

/**
 * The absolute path that a tool means. `..`, URLs, and `~` where there is no home, are left in place: whoever checks the
 * path refuses them.
 *
 * @since 0.1.0
 * @category resolving
 */
export const resolve = (path: string, { home, workdir }: Paths): string => {
  if (path === "~" || path.startsWith("~/"))
    return home === undefined || home === "" ? path : `${home}${path.slice(1)}`
  // A URL is no path, and must not become one below the working directory.
  return path.startsWith("/") || /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(path) ? path : `${workdir}/${path}`
}
