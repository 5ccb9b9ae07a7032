/**
 * Services that are no capability, and that a tool may not list either: each has a sentence that says what to do
 * instead. The compiler knows the key of most tags, and says it as the author writes; the run time knows all of them.
 */
import { type Category, categories, categoryNames } from "../capabilities/Capabilities.js"

type Table = typeof categories

/** The sentence about a service of this key; `never` for one of the application. */
export type Foreign<Key extends string> = Key extends `bailiwick/${string}`
  ? Kept<Key>
  : Key extends `@effect/platform${string}`
    ? OfPlatform<Key>
    : Key extends `effect/${string}`
      ? OfEffect<Key>
      : never

type Kept<Key extends string> =
  Key extends OwnKey<Category>
    ? IsCapability<{ readonly [C in Category]: Key extends OwnKey<C> ? C : never }[Category]>
    : Key extends Table[Category]["backends"][number]["key"]
      ? IsBackend<Key>
      : IsReserved<Key>

/** The key of a category's own tag; it may give a tool the tags of others too. */
type OwnKey<C extends Category> = Table[C]["tags"][0]["key"]

type IsCapability<C extends string> = `'${C}' is a capability: declare it in capabilities`

type IsBackend<Key extends string> =
  `'${Key}' is a backend of the host: declare the capability that stands on it`

type IsReserved<Key extends string> =
  `'${Key}' is a key that Bailiwick keeps for itself: give the tag another`

type OfEffect<Key extends string> = Key extends "effect/Scope"
  ? "'effect/Scope' is not a capability service: close the scope with Effect.scoped"
  : `'${Key}' is a service of Effect itself: do without it`

type OfPlatform<Key extends string> =
  `'${Key}' is a platform service: provide ${BridgeOf<Key>} inside execute`

type BridgeOf<Key extends string> = Key extends keyof typeof bridges
  ? (typeof bridges)[Key]
  : typeof anyBridge

const anyBridge = "a layer of bailiwick/platform"

const bridges = {
  "@effect/platform/HttpClient": "layerHttpClient of bailiwick/platform",
  "@effect/platform/FileSystem": "layerFileSystem of bailiwick/platform",
  "@effect/platform/KeyValueStore": "layerKeyValueStore of bailiwick/platform",
  "@effect/platform/CommandExecutor": "layerCommandExecutor of bailiwick/platform",
  "@effect/platform/Path": "Path.layer of @effect/platform"
} as const

/**
 * The key of a platform service, whose type says nothing of it: they are told by members that stand together in no
 * other. So the types of the platform need not be there.
 */
export type PlatformKey<I> = I extends { readonly Id: unknown } | { readonly _tag: unknown }
  ? never
  : I extends { readonly makeTempDirectoryScoped: unknown; readonly readLink: unknown }
    ? "@effect/platform/FileSystem"
    : I extends { readonly execute: unknown; readonly del: unknown; readonly patch: unknown }
      ? "@effect/platform/HttpClient"
      : I extends { readonly getUint8Array: unknown; readonly modifyUint8Array: unknown }
        ? "@effect/platform/KeyValueStore"
        : I extends { readonly exitCode: unknown; readonly streamLines: unknown }
          ? "@effect/platform/CommandExecutor"
          : I extends { readonly fromFileUrl: unknown; readonly toNamespacedPath: unknown }
            ? "@effect/platform/Path"
            : I extends { readonly readInput: unknown; readonly display: unknown }
              ? "@effect/platform/Terminal"
              : never

/** The sentence about a service of this key, or nothing when it is one of the application. */
export const foreign = (key: string): string | undefined => {
  if (key.startsWith("bailiwick/")) return kept(key)
  if (key.startsWith("@effect/platform")) {
    const bridge = Object.entries(bridges).find(([known]) => known === key)?.[1] ?? anyBridge
    return `'${key}' is a platform service: provide ${bridge} inside execute`
  }
  if (key === "effect/Scope") {
    return "'effect/Scope' is not a capability service: close the scope with Effect.scoped" satisfies OfEffect<"effect/Scope">
  }
  return key.startsWith("effect/")
    ? (`'${key}' is a service of Effect itself: do without it` satisfies OfEffect<string>)
    : undefined
}

const kept = (key: string): string => {
  const category = categoryNames.find((name) => categories[name].tags[0].key === key)
  if (category !== undefined) {
    return `'${category}' is a capability: declare it in capabilities` satisfies IsCapability<Category>
  }
  return categoryNames.some((name) => categories[name].backends.some((backend) => backend.key === key))
    ? (`'${key}' is a backend of the host: declare the capability that stands on it` satisfies IsBackend<string>)
    : (`'${key}' is a key that Bailiwick keeps for itself: give the tag another` satisfies IsReserved<string>)
}
