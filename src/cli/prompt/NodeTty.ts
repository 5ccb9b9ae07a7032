/** The terminal of this process. However the program ends, it is left as it was found. */

import { setImmediate } from "node:timers/promises"
import type { ReadStream, WriteStream } from "node:tty"
import { INTERRUPT } from "./Key.js"
import type { Keyboard, Tty, Typed } from "./Tty.js"

/** What is pasted comes marked, so that its line breaks answer nothing. */
const TAKE = "\u001b[?2004h"
const RELEASE = "\u001b[?2004l\u001b[?25h"

/** A terminal that was never told its size says nothing, or 0. */
const USUAL = { columns: 80, rows: 24 }

const open = (input: ReadStream, output: WriteStream): Keyboard => {
  const waiting: Array<Exclude<Typed, "late">> = []
  let wake: () => void = () => {}
  let open = true
  let arrived = 0

  const push = (typed: Exclude<Typed, "late">) => {
    waiting.push(typed)
    wake()
  }
  const onData = (text: string) => {
    arrived++
    push({ text })
  }
  const onEnd = () => push("ended")
  const onResize = () => push("resized")

  const close = () => {
    if (!open) return
    open = false
    process.off("exit", close)
    input.off("data", onData).off("end", onEnd).off("error", onEnd)
    output.off("resize", onResize)
    input.pause()
    input.setRawMode(false)
    output.write(RELEASE)
  }

  const read = async (patience?: number): Promise<Typed> => {
    const next = waiting.shift()
    if (next !== undefined) return next
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((done) => {
      wake = done
      if (patience !== undefined) timer = setTimeout(done, patience)
    })
    clearTimeout(timer)
    return waiting.shift() ?? "late"
  }

  const forget = async (): Promise<void> => {
    let known: number
    do {
      known = arrived
      // What was typed lies with the kernel until it is read: two turns of the event loop, of which at least one waits
      // for input, and nothing came.
      await setImmediate()
      await setImmediate()
    } while (known !== arrived)
    const texts = waiting.flatMap((typed) => (typeof typed === "object" ? [typed.text] : []))
    const others = waiting.filter((typed) => typeof typed !== "object")
    // Whoever wants to stop need not wait for a question.
    const stop = texts.some((text) => text.includes(INTERRUPT)) ? [{ text: INTERRUPT }] : []
    waiting.splice(0, waiting.length, ...stop, ...others)
  }

  process.on("exit", close)
  input.setEncoding("utf8").on("data", onData).on("end", onEnd).on("error", onEnd)
  output.on("resize", onResize)
  input.setRawMode(true)
  output.write(TAKE)
  input.resume()
  return { read, forget, close }
}

export const nodeTty = (input: ReadStream, output: WriteStream): Tty => {
  // A terminal that is closed cannot be set back any more, and says so.
  input.on("error", () => {})
  return {
    size: () => ({ columns: output.columns || USUAL.columns, rows: output.rows || USUAL.rows }),
    write: (text) => {
      output.write(text)
    },
    open: () => open(input, output)
  }
}
