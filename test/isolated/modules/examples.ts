/** The tools of the examples, as they are. */
export * from "../../../examples/tools/git.js"
export * from "../../../examples/tools/notes.js"
export * from "../../../examples/tools/summary.js"
export * from "../../../examples/tools/weather.js"
export * from "../../../examples/workspaces/assistant/tools/index.js"
export * from "../../../examples/workspaces/data-team/tools/index.js"
export * from "../../../examples/workspaces/release-bot/tools/index.js"
export * from "../../../examples/workspaces/support-desk/tools/index.js"
