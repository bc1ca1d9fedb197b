// A job for tests: a built-in model in usual settings, with what a test changes.

import { builtInModel, importConfig } from '@ironlaw/models'
import type { TrainingJob } from './job.ts'
import { POLICIES, type PolicyName } from './memory/precision.ts'

type Changes = Partial<Omit<TrainingJob, 'policy' | 'architecture'>> & { readonly policy?: PolicyName }

export function sampleJob(model: string, { policy = 'bf16-mixed', ...changes }: Changes = {}): TrainingJob {
  const imported = importConfig(builtInModel(model)?.config)
  if (!imported.ok) throw new Error(imported.problem)
  return {
    architecture: imported.architecture,
    sequence: 4096,
    globalBatch: 512,
    policy: POLICIES[policy],
    attention: 'flash',
    dropout: false,
    loss: 'fused',
    dummyGradients: false,
    ...changes,
  }
}
