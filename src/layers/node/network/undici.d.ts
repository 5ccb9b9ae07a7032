/** The module that holds the class, for `lines.ts`. The package has no types for it but those of its index. */
declare module "undici/lib/dispatcher/client.js" {
  export { Client as default } from "undici"
}
