/**
 * @since 0.1.0
 */

/**
 * What relative paths and `~` stand for in one turn.
 *
 * @since 0.1.0
 * @category models
 */
export interface Places {
  readonly workdir: string
  readonly home?: string | undefined
}

/**
 * The absolute path that a tool means. `..` is left in place: whoever checks the path refuses it.
 *
 * @since 0.1.0
 * @category resolving
 */
export const resolve = (path: string, { home, workdir }: Places): string => {
  if (path.startsWith("/")) return path
  if (home !== undefined && (path === "~" || path.startsWith("~/"))) return `${home}${path.slice(1)}`
  return `${workdir}/${path}`
}
