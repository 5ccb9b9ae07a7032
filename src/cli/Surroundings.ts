/** What the program needs of the process it runs in; a test gives its own. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string | undefined
  readonly stdin: () => Promise<string>
  readonly stdout: { readonly isTTY: boolean; readonly columns: number | undefined }
  readonly print: (text: string) => Promise<void>
  readonly complain: (text: string) => void
  /** Aborts when the user has had enough. */
  readonly signal: AbortSignal
}
