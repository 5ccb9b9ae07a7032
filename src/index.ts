export * as Authority from "./policy/Authority.js"
export * as Request from "./policy/Request.js"
