/** Where a workspace is, and what its paths lead to. */
export interface Places {
  readonly root: string
  readonly home?: string | undefined
  readonly real?: ((path: string) => string) | undefined
}
