export { describeAttached, describeCsv } from "./describe.ts"
export { sumBy, writeSums } from "./sum.ts"
