// What a run is doing, what its time then counts as, and whether there is a run that a failure can stop.

import { type Cause, causeIndex } from './ledger.ts'

export type Phase = 'queue' | 'train' | 'pause' | 'detect' | 'swap' | 'wait' | 'restart' | 'load' | 'warm-up' | 'maintenance'

type About = { readonly spentOn: number; readonly up: boolean }

const about = (cause: Cause, state: 'up' | 'down'): About => ({ spentOn: causeIndex(cause), up: state === 'up' })

export const PHASES: Readonly<Record<Phase, About>> = {
  queue: about('allocation', 'down'),
  train: about('useful', 'up'),
  pause: about('checkpoint', 'up'),
  detect: about('detection', 'down'),
  swap: about('recovery', 'down'),
  wait: about('recovery', 'down'),
  restart: about('start', 'up'),
  load: about('load', 'up'),
  'warm-up': about('start', 'up'),
  maintenance: about('recovery', 'down'),
}
