/** The arguments of a tool as a model writes them: what its schema decodes from. */
import type * as Tool from "../tools/Tool.js"

type IsAny<A> = 0 extends 1 & A ? true : false

/** Where the type of the schema is not known, what it decodes to stands for it. */
export type Written<T extends Tool.Any> = T["parameters"] extends { readonly Encoded: infer Encoded }
  ? IsAny<Encoded> extends true
    ? Tool.Args<T>
    : Encoded
  : Tool.Args<T>
