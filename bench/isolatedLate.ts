/** The same, in a module that waits while it is loaded: there is no snapshot of it. */
await Promise.resolve()

export * from "./isolatedTools.js"
