export { build, type BuildProgress, type BuildRequest } from './build.ts'
export type { Finished } from './finish.ts'
