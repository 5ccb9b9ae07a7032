/**
 * Globs filed by their tokens, so that a question meets only the globs that could answer it: cost grows with
 * the length of what is asked, and with the number of different wildcard segments (`a*`, `*.md`) at one place,
 * not with the number of globs.
 */

import { getOrSet } from "../Memo.js"
import type { Glob } from "./Glob.js"
import { isAny, type Token, tokenKey, tokenMatches } from "./Token.js"

/** Most nodes have one child; what they do not have is not allocated, because there may be very many. */
class Node<A> {
  literal: Map<string, Node<A>> | undefined
  wild: Map<string, readonly [Token, Node<A>]> | undefined
  here: Array<A> | undefined
  any: Node<A> | undefined
  deep: Node<A> | undefined
  /** `loops`: reached by `Deep`, eats any segment and stays. */
  constructor(readonly loops: boolean) {}

  child(token: Token): Node<A> {
    if (token._tag === "Deep") {
      this.deep ??= new Node(true)
      return this.deep
    }
    if (isAny(token)) {
      this.any ??= new Node(false)
      return this.any
    }
    if (token._tag === "Literal") {
      this.literal ??= new Map()
      return getOrSet(this.literal, token.text, () => new Node(false))
    }
    this.wild ??= new Map()
    return getOrSet(this.wild, tokenKey(token), () => [token, new Node<A>(false)] as const)[1]
  }

  *belowWild(): Generator<A> {
    if (this.any !== undefined) yield* this.any.all()
    if (this.deep !== undefined) yield* this.deep.all()
    if (this.wild !== undefined) for (const [, node] of this.wild.values()) yield* node.all()
  }

  *belowLiteral(): Generator<A> {
    if (this.literal !== undefined) for (const node of this.literal.values()) yield* node.all()
  }

  *all(): Generator<A> {
    if (this.here !== undefined) yield* this.here
    yield* this.belowWild()
    yield* this.belowLiteral()
  }
}

export class GlobIndex<A> {
  private readonly root = new Node<A>(false)

  add(glob: Glob, value: A): void {
    let node = this.root
    for (const token of glob.tokens) node = node.child(token)
    node.here ??= []
    node.here.push(value)
  }

  /** The first value, filed under a glob that matches, that is accepted. */
  find(segments: ReadonlyArray<string>, accept: (value: A) => boolean): A | undefined {
    let active: Array<Node<A>> = []
    let found: A | undefined
    const enter = (node: Node<A>, into: Array<Node<A>>): boolean => {
      if (into.includes(node)) return false
      into.push(node)
      if (node.loops) {
        found = node.here?.find(accept)
        if (found !== undefined) return true
      }
      return node.deep !== undefined && enter(node.deep, into)
    }
    if (enter(this.root, active)) return found
    for (const segment of segments) {
      const next: Array<Node<A>> = []
      for (const node of active) {
        if (node.loops && enter(node, next)) return found
        const child = node.literal?.get(segment)
        if (child !== undefined && enter(child, next)) return found
        if (node.any !== undefined && enter(node.any, next)) return found
        if (node.wild !== undefined) {
          for (const [token, wild] of node.wild.values()) {
            if (tokenMatches(token, segment) && enter(wild, next)) return found
          }
        }
      }
      if (next.length === 0) return undefined
      active = next
    }
    for (const node of active) {
      if (node.loops) continue
      found = node.here?.find(accept)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Every value whose glob could include this one: its leading literals are among this one's. */
  *covering(glob: Glob): Generator<A> {
    const node = yield* this.along(glob)
    if (node?.here !== undefined) yield* node.here
  }

  /** Every value whose glob could overlap this one: their leading literals agree as far as both go. */
  *overlapping(glob: Glob): Generator<A> {
    const node = yield* this.along(glob)
    if (node === undefined) return
    if (node.here !== undefined) yield* node.here
    if (glob.literals < glob.tokens.length) yield* node.belowLiteral()
  }

  *all(): Generator<A> {
    yield* this.root.all()
  }

  private *along(glob: Glob): Generator<A, Node<A> | undefined> {
    let node: Node<A> | undefined = this.root
    for (let i = 0; i < glob.literals; i++) {
      yield* node.belowWild()
      const token: Token = glob.tokens[i] as Token
      node = token._tag === "Literal" ? node.literal?.get(token.text) : undefined
      if (node === undefined) return undefined
    }
    yield* node.belowWild()
    return node
  }
}
