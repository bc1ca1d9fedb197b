// Whether predictions hold: corpora that were drawn for this are probed, then made into datasets, and both are handed to whoever plans and scores.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DataRunFigures } from '@ironlaw/contracts/data-plan'
import type { DataProbe } from '@ironlaw/contracts/data-probe'
import { build, preparePipeline } from '../build.ts'
import { probeSample, sampleCorpus } from '../probe/probe.ts'
import { drawCorpus, type Traits } from './corpora.ts'

export type Trial = { readonly seed: number; readonly traits: Traits; readonly probe: DataProbe; readonly measured: DataRunFigures }

export type TrialOptions = { readonly bytes: number; readonly share: number; readonly workers: number }

/** Probes one drawn corpus, then makes its dataset. Nothing is left behind. */
export async function runTrial(seed: number, { bytes, share, workers }: TrialOptions): Promise<Trial> {
  const root = await mkdtemp(join(tmpdir(), 'ironlaw-validate-data-'))
  try {
    const { spec, directory, traits } = await drawCorpus(join(root, 'corpus'), seed, bytes)
    const request = { spec, directory, work: join(root, 'work'), to: join(root, 'dataset'), workers }
    const { pipeline } = await preparePipeline(request)
    const probe = await probeSample(pipeline, await sampleCorpus(pipeline, { share }))
    const { measured } = await build(request)
    return { seed, traits, probe, measured }
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}
