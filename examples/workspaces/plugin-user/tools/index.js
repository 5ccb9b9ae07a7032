// Each by its name: what the package adds later is offered when somebody has read it, and added it here.
export { countWords, outline } from "@acme/text-tools"
