export { build, type BuildProgress, type BuildRequest, preparePipeline } from './build.ts'
export type { Finished } from './finish.ts'
export { type CorpusSample, probeSample, sampleCorpus } from './probe/probe.ts'
