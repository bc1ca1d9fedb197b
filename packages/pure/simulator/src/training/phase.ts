// What a run is doing, what its time then counts as, and whether there is a run that a failure can stop.

import { type TrialCause, causeIndex } from './ledger.ts'

export type Phase = 'queue' | 'train' | 'pause' | 'detect' | 'swap' | 'wait' | 'restart' | 'load' | 'warm-up' | 'maintenance'

type PhaseAccount = { readonly spentOn: number; readonly up: boolean }

const phaseAccount = (cause: TrialCause, state: 'up' | 'down'): PhaseAccount => ({ spentOn: causeIndex(cause), up: state === 'up' })

export const PHASES: Readonly<Record<Phase, PhaseAccount>> = {
  queue: phaseAccount('allocation', 'down'),
  train: phaseAccount('useful', 'up'),
  pause: phaseAccount('checkpoint', 'up'),
  detect: phaseAccount('detection', 'down'),
  swap: phaseAccount('recovery', 'down'),
  wait: phaseAccount('recovery', 'down'),
  restart: phaseAccount('start', 'up'),
  load: phaseAccount('load', 'up'),
  'warm-up': phaseAccount('start', 'up'),
  maintenance: phaseAccount('recovery', 'down'),
}
