import type ts from "typescript"

/** A stretch of a text, and what is to stand there. */
export interface Edit {
  readonly from: number
  readonly to: number
  readonly by: string
}

export const replacing = (node: ts.Node, by: string): Edit => ({ from: node.getStart(), to: node.end, by })

export const inOrder = (edits: ReadonlyArray<Edit>): ReadonlyArray<Edit> =>
  edits.toSorted((a, b) => a.from - b.from)

export interface Edited {
  readonly text: string
  /** Where a place of the old text is in the new one. */
  readonly moved: (place: number) => number
}

export const edited = (text: string, edits: ReadonlyArray<Edit>): Edited => {
  const ordered = inOrder(edits)
  const pieces: Array<string> = []
  let at = 0
  for (const { by, from, to } of ordered) {
    pieces.push(text.slice(at, from), by)
    at = to
  }
  return {
    text: [...pieces, text.slice(at)].join(""),
    moved: (place) => {
      let shift = 0
      for (const { by, from, to } of ordered) {
        if (place < to)
          return place <= from ? place + shift : from + shift + Math.min(place - from, by.length)
        shift += by.length - (to - from)
      }
      return place + shift
    }
  }
}
