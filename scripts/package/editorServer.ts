/** The server that editors ask about TypeScript, without a process and a protocol between. */
import ts from "typescript"

/** Lines and columns count from one. */
interface Place {
  readonly file: string
  readonly line: number
  readonly offset: number
}

/** The commands we ask, with what they take and what they answer. */
interface Commands {
  readonly compilerOptionsForInferredProjects: [{ readonly options: object }, unknown]
  readonly open: [{ readonly file: string }, unknown]
  readonly definition: [Place, ReadonlyArray<ts.server.protocol.FileSpan>]
  readonly quickinfo: [Place, { readonly documentation: string }]
  readonly semanticDiagnosticsSync: [{ readonly file: string }, ReadonlyArray<ts.server.protocol.Diagnostic>]
}

export type Ask = <C extends keyof Commands>(command: C, args: Commands[C][0]) => Commands[C][1]

const nothing = () => {}

const unwatched = () => ({ close: nothing })

export const editorServer = (): Ask => {
  const session = new ts.server.Session({
    host: {
      ...ts.sys,
      write: nothing,
      watchFile: unwatched,
      watchDirectory: unwatched,
      setTimeout,
      clearTimeout,
      setImmediate,
      clearImmediate
    },
    cancellationToken: ts.server.nullCancellationToken,
    useSingleInferredProject: true,
    useInferredProjectPerProjectRoot: false,
    byteLength: Buffer.byteLength,
    hrtime: process.hrtime,
    logger: {
      close: nothing,
      hasLevel: () => false,
      loggingEnabled: () => false,
      perftrc: nothing,
      info: nothing,
      startGroup: nothing,
      endGroup: nothing,
      msg: nothing,
      getLogFileName: () => undefined
    },
    canUseEvents: false
  })
  return (command, args) =>
    session.executeCommand({ seq: 0, type: "request", command, arguments: args }).response as never
}
