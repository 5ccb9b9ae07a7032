/**
 * The patterns of the floor, which is asked for every file: names filed by their first, `*` inside a name, `<word>` at its
 * end, and `**` for any number of names. A pattern is a tree: it covers what is below it.
 */
import type { Segments } from "./Trees.js"

interface Wild<A> {
  readonly written: string
  /** The first character, where it is certain: most names are told apart by it. */
  readonly first: number | undefined
  readonly head: string
  readonly middle: ReadonlyArray<string>
  readonly tail: string
  readonly isWord: boolean
  readonly node: Node<A>
}

const WORD = "<word>"

const isPlain = /^[a-z0-9_]+$/

/** Endings of sources and texts, which are read and written under any name. */
const sources: ReadonlySet<string> = new Set(
  "adoc c cc cjs cpp cs css cts go h hpp html java js jsx kt md mdx mjs mts php py rb rs rst scala sh svg swift ts tsx txt".split(
    " "
  )
)

class Node<A> {
  readonly literal = new Map<string, Node<A>>()
  readonly wild: Array<Wild<A>> = []
  deep: Node<A> | undefined
  here: A | undefined

  child(name: string): Node<A> {
    if (name === "**") {
      this.deep ??= new Node()
      return this.deep
    }
    const isWord = name.endsWith(WORD)
    const [head = "", ...middle] = name.replace(WORD, "*").split("*")
    const tail = middle.pop()
    if (tail === undefined) {
      const made = this.literal.get(name) ?? new Node<A>()
      this.literal.set(name, made)
      return made
    }
    const known = this.wild.find(({ written }) => written === name)
    if (known !== undefined) return known.node
    const node = new Node<A>()
    const first = head === "" ? undefined : head.charCodeAt(0)
    this.wild.push({ written: name, first, head, middle, tail, isWord, node })
    return node
  }
}

/** Each part is looked for where the one before it ended. */
const hasAll = ({ head, middle, tail }: Wild<unknown>, name: string): boolean => {
  let from = head.length
  for (const part of middle) {
    const found = name.indexOf(part, from)
    if (found === -1) return false
    from = found + part.length
  }
  return from + tail.length <= name.length
}

const isWordAt = (name: string, from: number): boolean => {
  const word = name.slice(from)
  return isPlain.test(word) && !sources.has(word)
}

const matches = (wild: Wild<unknown>, name: string): boolean => {
  const { first, head, isWord, middle, tail } = wild
  return (
    (first === undefined || first === name.charCodeAt(0)) &&
    name.length >= head.length + tail.length &&
    name.startsWith(head) &&
    name.endsWith(tail) &&
    (middle.length === 0 || hasAll(wild, name)) &&
    (!isWord || isWordAt(name, head.length))
  )
}

const find = <A>(node: Node<A>, segments: Segments, at: number): A | undefined => {
  if (node.here !== undefined) return node.here
  const name = segments[at]
  if (name === undefined) return undefined
  const child = node.literal.get(name)
  const named = child === undefined ? undefined : find(child, segments, at + 1)
  if (named !== undefined) return named
  for (const wild of node.wild) {
    const found = matches(wild, name) ? find(wild.node, segments, at + 1) : undefined
    if (found !== undefined) return found
  }
  for (let from = at; node.deep !== undefined && from < segments.length; from++) {
    const found = find(node.deep, segments, from)
    if (found !== undefined) return found
  }
  return undefined
}

const longest = <A>(node: Node<A>, segments: Segments, at: number): number => {
  const here = node.here === undefined ? 0 : at
  const name = segments[at]
  if (name === undefined) return here
  const { deep } = node
  const child = node.literal.get(name)
  return Math.max(
    here,
    child === undefined ? 0 : longest(child, segments, at + 1),
    ...node.wild.filter((wild) => matches(wild, name)).map((wild) => longest(wild.node, segments, at + 1)),
    ...(deep === undefined ? [] : segments.slice(at).map((_, past) => longest(deep, segments, at + past)))
  )
}

/** Whether a pattern begins with these names and goes on. */
const goesOn = <A>(node: Node<A>, segments: Segments, at: number): boolean => {
  if (node.deep !== undefined) return true
  const name = segments[at]
  if (name === undefined) return node.literal.size > 0 || node.wild.length > 0
  const child = node.literal.get(name)
  return (
    (child !== undefined && goesOn(child, segments, at + 1)) ||
    node.wild.some((wild) => matches(wild, name) && goesOn(wild.node, segments, at + 1))
  )
}

export class Patterns<A> {
  private readonly root = new Node<A>()

  add(pattern: string, value: A): void {
    let node = this.root
    for (const name of pattern.split("/")) node = node.child(name)
    node.here ??= value
  }

  /** What a pattern says that matches from one name on. */
  at(segments: Segments, from: number): A | undefined {
    return find(this.root, segments, from)
  }

  /** What a pattern says that matches from any name on. */
  anywhere(segments: Segments): A | undefined {
    for (let at = 0; at < segments.length; at++) {
      const found = find(this.root, segments, at)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Whether a pattern matches something below, from one name on. */
  goesOn(segments: Segments, from: number): boolean {
    return goesOn(this.root, segments, from)
  }

  /** The names up to the end of the longest pattern that matches from one name on; 0 where none does. */
  endOf(segments: Segments, from: number): number {
    return longest(this.root, segments, from)
  }
}
