import bailiwick from "bailiwick/eslint-plugin"

export default [bailiwick.configs.recommended]
