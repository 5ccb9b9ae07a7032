export { draftRelease, listReleases } from "./github.ts"
export { changesSince, tagRelease } from "./history.ts"
