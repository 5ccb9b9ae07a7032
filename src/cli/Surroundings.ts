import type { Readable, Writable } from "node:stream"
import type { Tty } from "./prompt/Tty.js"

/** What the program needs of the process it runs in; a test gives its own. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string | undefined
  readonly stdin: () => Promise<string>
  readonly stdout: { readonly isTTY: boolean; readonly columns: number | undefined }
  /** Beside sentences, a terminal gets signs of life here; a pipe does not. */
  readonly stderr: {
    readonly isTTY: boolean
    readonly columns: number | undefined
    readonly write: (text: string) => void
  }
  /** Standard input and output for a protocol: from then on nothing else goes to the output. */
  readonly pipes?: (() => { readonly input: Readable; readonly output: Writable }) | undefined
  readonly print: (text: string) => Promise<void>
  /** Whether somebody still reads what is printed; who goes on and on asks for it. */
  readonly hasReader?: (() => boolean) | undefined
  readonly complain: (text: string) => void
  /** Where somebody can be asked; nowhere when nobody sits at the input. */
  readonly tty: Tty | undefined
  /** Aborts when the user has had enough. */
  readonly signal: AbortSignal
  /** Says that for the user, who pressed Ctrl-C where a key is no signal. */
  readonly interrupt?: (() => void) | undefined
  /** Loads a module beside the library of this program; not there where the program has a library to itself. */
  readonly load?: ((file: string) => Promise<unknown>) | undefined
  /** This program as it stands beside the library, where it has a library to itself. */
  readonly program?: string | undefined
  /** Has what such a module leaves running not end the program when it fails, because others are served. */
  readonly outlast?: (() => void) | undefined
  /** Of this program, where another may have to go on. */
  readonly version?: string | undefined
}
