/** Settings of git as git itself reads them: which keys have which values, in their order. What runs by them is asked elsewhere. */

export interface GitSetting {
  /** Section and key in small letters, without what stands between them: `core.hookspath`. */
  readonly name: string
  readonly value: string
}

const HEADER = /[ \t]*\[[ \t]*([A-Za-z0-9.-]+)(?:[ \t]+"(?:[^"\\\n]|\\[^\n])*")?[ \t]*\]/y
const KEY = /[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*/y
const BLANK = /(?:\s|[#;][^\n]*)+/y

const escapes: ReadonlyMap<string | undefined, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["n", "\n"],
  ["t", "\t"],
  ["b", "\b"],
  ["\n", ""]
])

const matched = (pattern: RegExp, text: string, at: number): RegExpExecArray | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}

/** From behind the sign to the end of its line, which a sign at the end of one puts off; nothing where git would give up. */
const valueAt = (
  text: string,
  from: number
): { readonly value: string; readonly end: number } | undefined => {
  let value = ""
  let kept = 0
  let isQuoted = false
  let at = from
  for (; at < text.length && text[at] !== "\n"; at++) {
    const character = text[at] as string
    if (character === "\\") {
      const next = escapes.get(text[++at])
      if (next === undefined) return undefined
      value += next
      if (next !== "") kept = value.length
    } else if (character === '"') {
      isQuoted = !isQuoted
      kept = value.length
    } else if (!isQuoted && (character === "#" || character === ";")) {
      while (at + 1 < text.length && text[at + 1] !== "\n") at++
    } else if (value !== "" || isQuoted || !/\s/.test(character)) {
      value += character
      if (isQuoted || !/\s/.test(character)) kept = value.length
    }
  }
  return isQuoted ? undefined : { value: value.slice(0, kept), end: at }
}

/** All up to where git would give up: it runs nothing by settings that it cannot read. */
export const settingsIn = (given: string): ReadonlyArray<GitSetting> => {
  const text = given.replace(/^\uFEFF/, "").replace(/\r\n/g, "\n")
  const found: Array<GitSetting> = []
  let section: string | undefined
  for (let at = 0; at < text.length; ) {
    const blank = matched(BLANK, text, at)
    if (blank !== undefined) {
      at += blank[0].length
      continue
    }
    const header = matched(HEADER, text, at)
    if (header !== undefined) {
      // The old way to write the middle part is behind a dot.
      section = (header[1] ?? "").toLowerCase().split(".")[0]
      at += header[0].length
      continue
    }
    const key = matched(KEY, text, at)
    if (key === undefined || section === undefined) return found
    at += key[0].length
    const read = text[at] === "=" ? valueAt(text, at + 1) : { value: "true", end: at }
    if (read === undefined) return found
    found.push({ name: `${section}.${(key[1] ?? "").toLowerCase()}`, value: read.value })
    at = read.end
  }
  return found
}
