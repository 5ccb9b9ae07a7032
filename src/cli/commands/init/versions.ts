/** What a new workspace installs. A test holds these to the versions that this one is made and tested with. */
export const versions = {
  bailiwick: "^0.1.0",
  effect: "^3.22.4",
  "@effect/language-service": "^0.87.2",
  "@types/node": "^20.19.43",
  eslint: "^9.39.5",
  typescript: "^5.9.3"
} as const

export const needed = ["bailiwick", "effect"] as const

export const forDevelopment = ["@effect/language-service", "@types/node", "eslint", "typescript"] as const
