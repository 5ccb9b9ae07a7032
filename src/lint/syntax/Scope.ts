/** Names and what they are bound to. */
import type { Node } from "./Node.js"

/** What a binding may hold: the value of an expression, or of what is found below it by these keys. */
export interface Source {
  readonly node: Node
  readonly scope: Scope
  readonly keys: ReadonlyArray<Key>
}

/** A property that is named, or one whose name is not known. */
export type Key = string | undefined

export interface Imported {
  readonly module: string
  readonly keys: ReadonlyArray<string>
}

export class Binding {
  readonly sources: Array<Source> = []
  constructor(readonly imported?: Imported) {}
}

export class Scope {
  readonly #names = new Map<string, Binding>()

  constructor(
    readonly parent: Scope | undefined,
    /** Whether `var` ends up here. */
    readonly holdsVar: boolean
  ) {}

  bind(name: string, binding: Binding = new Binding()): Binding {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    this.#names.set(name, binding)
    return binding
  }

  find(name: string): Binding | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      const binding = scope.#names.get(name)
      if (binding !== undefined) return binding
    }
    return undefined
  }

  get forVar(): Scope {
    let scope: Scope = this
    while (!scope.holdsVar && scope.parent !== undefined) scope = scope.parent
    return scope
  }
}
