/** An open file, which is closed when nobody uses it any more, and brought to the disk once for all who wait for that. */
import * as fs from "node:fs"
import { Effect } from "effect"
import type { AuditError } from "../../../audit/AuditSink.js"
import { unwritten } from "./failure.js"
import type { LogFile } from "./place.js"
import type { System } from "./system.js"

type Waiting = (result: Effect.Effect<void, AuditError>) => void

const closeQuietly = (fd: number): void => {
  try {
    fs.closeSync(fd)
  } catch {
    // It is closed in any case.
  }
}

export class Handle {
  #waiting: Array<Waiting> = []
  #isSyncing = false
  #isRetired = false
  #isNameSynced: boolean

  constructor(
    readonly file: LogFile,
    private readonly directory: string,
    private readonly system: System
  ) {
    this.#isNameSynced = !file.isNew
  }

  /** Nothing more is written; what is under way ends first. */
  retire(): void {
    if (this.#isRetired) return
    this.#isRetired = true
    if (!this.#isSyncing) closeQuietly(this.file.fd)
  }

  /** Settles once all that was written before is on the disk, with the name of the file. */
  readonly synced: Effect.Effect<void, AuditError> = Effect.async((resume) => {
    this.#waiting.push(resume)
    if (!this.#isSyncing) this.#sync()
  })

  #sync(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#isSyncing = true
    const settle = (error: Error | null) => {
      const result = error === null ? Effect.void : Effect.fail(unwritten(this.file.path, error))
      this.#isSyncing = false
      if (this.#waiting.length > 0) this.#sync()
      else if (this.#isRetired) closeQuietly(this.file.fd)
      for (const resume of waiting) resume(result)
    }
    this.system.sync(this.file.fd, (error) => {
      if (error !== null || this.#isNameSynced) settle(error)
      else this.#syncName(settle)
    })
  }

  #syncName(settle: (error: Error | null) => void): void {
    fs.open(this.directory, "r", (error, fd) => {
      // Windows opens no directory, and needs none to be brought to the disk.
      if (error !== null) return settle(process.platform === "win32" ? null : error)
      this.system.sync(fd, (failed) => {
        closeQuietly(fd)
        this.#isNameSynced = failed === null
        settle(failed)
      })
    })
  }
}
