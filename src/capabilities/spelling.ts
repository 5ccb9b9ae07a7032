/**
 * Sentences about a key that does not exist, with the key that was probably meant. Only a declaration that is wrong
 * gets here, so the cost does not matter to one that is right.
 */

/** Words people write for the keys inside a category, other than their names. */
interface KeyAliases {
  readonly allowedHosts: "allowed" | "allow" | "hosts" | "host" | "domains" | "allowhosts"
  readonly for: "of" | "whom"
  readonly allowedBinaries: "allowed" | "allow" | "binaries" | "binary" | "commands" | "allowbinaries"
  readonly read: "reads" | "readable"
  readonly write: "writes" | "writable"
  readonly scope: "scopes"
  readonly kind: "type"
  readonly ttlSecondsDefault: "ttl" | "ttlseconds" | "ttldefault"
  readonly kinds: "kind" | "types"
  readonly verbs: "verb" | "actions"
  readonly classes: "class"
  readonly ids: "id"
  readonly ref: "refs" | "name" | "key" | "secret"
  readonly hosts: "host" | "allowedhosts" | "for" | "to"
  readonly in: "at" | "places" | "place" | "where"
}

/** A word, and the word without each one of its letters. */
type Near<Word extends string> = Word | Shorter<Word>

type Shorter<Word extends string, Head extends string = ""> = Word extends `${infer Letter}${infer Tail}`
  ? `${Head}${Tail}` | Shorter<Tail, `${Head}${Letter}`>
  : never

/** Two words are close when one letter more, less, other or swapped makes them alike. */
type IsClose<A extends string, B extends string> = Near<A> & Near<B> extends never ? false : true

type Match<Word extends string, Known extends string, Aliases> = Known extends keyof Aliases
  ? true extends IsClose<Word, Lowercase<Known> | (Aliases[Known] & string)>
    ? Known
    : Word extends Aliases[Known]
      ? Known
      : never
  : never

type Closest<Word extends string, Known extends string, Aliases> = Match<Lowercase<Word>, Known, Aliases>

/** A category that does not exist; `Listed` are those that do. */
export type UnknownCategory<K, Aliases, Listed extends string> = K extends string
  ? [Closest<K, keyof Aliases & string, Aliases>] extends [never]
    ? `unknown capability '${K}': the categories are ${Listed}`
    : `unknown capability '${K}': did you mean '${Closest<K, keyof Aliases & string, Aliases>}'?`
  : "unknown capability"

/** Keys of `D` that the category `K` does not have; `List` names those it has. */
export type UnknownKey<K extends string, D, Known extends string, List extends string = Known> =
  Exclude<keyof D, Known> extends infer Key
    ? Key extends string
      ? [Closest<Key, Known, KeyAliases>] extends [never]
        ? `unknown key '${Key}' in capability '${K}': the keys are ${List}`
        : `unknown key '${Key}' in capability '${K}': did you mean '${Closest<Key, Known, KeyAliases>}'?`
      : never
    : never

/** A declaration without a key it must have, or one that a type wider than a literal leaves open. */
export type MissingKey<K extends string, D, Known extends string> = D extends undefined
  ? never
  : Known extends keyof D
    ? never
    : `key '${Known}' is missing in capability '${K}'`
