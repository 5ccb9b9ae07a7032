/** Who may do what in a new workspace: what its tool needs, and nothing more. */

export const workspace = `# The root of a workspace. What stands here and in records/ and personalities/ says what agents may do.
tools: ["./tools/index.js"]
`

export const agent = `---
id: agents/scout
class: agent
capabilities:
  - net.get: { hosts: ["api.weather.gov"] }
---

# Scout

You answer questions about the weather. Use fetch_weather, and say for which point the forecast is.
`

export const personality = `id: forecaster
description: Answers questions about the weather
safety:
  network:
    allow: ["api.weather.gov"]
`

export const gitignore = `node_modules/
# What tools store, and secrets: neither belongs into a repository.
.bailiwick/
.env
`
