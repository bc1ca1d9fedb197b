// What one training step is made of, in the order in which people read it. One record per cause says where its time belongs: under which
// cause of the ledger it is measured, with which class of work calibration corrects it, and how pages name and colour it.

import type { TimeCause } from './time-cause.ts'

/** What a residual of a step can be split by: the phases that training programs name. */
export const WORK_CLASSES = ['compute', 'communication', 'optimizer'] as const

export type WorkClass = (typeof WORK_CLASSES)[number]

/** What the accelerator does meanwhile: it works, it exchanges, or it waits. */
export type StepNature = 'work' | 'exchange' | 'waiting'

type StepCauseInfo = { readonly words: string; readonly nature: StepNature; readonly workClass: WorkClass; readonly ledger: TimeCause }

/** Programs name the phases compute, communication and optimizer; the ledger counts the optimizer's as compute. */
const STEP_CAUSE_TABLE = {
  products: { words: 'matrix products', nature: 'work', workClass: 'compute', ledger: 'compute' },
  attention: { words: 'attention', nature: 'work', workClass: 'compute', ledger: 'compute' },
  vector: { words: 'vector work', nature: 'work', workClass: 'compute', ledger: 'compute' },
  recompute: { words: 'recomputation', nature: 'work', workClass: 'compute', ledger: 'compute' },
  tensor: { words: 'tensor exchange', nature: 'exchange', workClass: 'communication', ledger: 'exposed communication' },
  context: { words: 'context exchange', nature: 'exchange', workClass: 'communication', ledger: 'exposed communication' },
  expert: { words: 'expert exchange', nature: 'exchange', workClass: 'communication', ledger: 'exposed communication' },
  // The device waits for its host inside the phase that a program calls compute.
  launch: { words: 'kernel launch', nature: 'waiting', workClass: 'compute', ledger: 'compute' },
  send: { words: 'between stages', nature: 'exchange', workClass: 'communication', ledger: 'exposed communication' },
  bubble: { words: 'pipeline bubble', nature: 'waiting', workClass: 'compute', ledger: 'bubble' },
  straggler: { words: 'slowest node', nature: 'waiting', workClass: 'compute', ledger: 'straggler' },
  // The exchange of data parallelism; a plan foresees no stall for input.
  data: { words: 'data exchange', nature: 'exchange', workClass: 'communication', ledger: 'exposed communication' },
  optimizer: { words: 'optimizer', nature: 'work', workClass: 'optimizer', ledger: 'compute' },
  // Optimizer states on their way between host and device, inside the phase that a program calls optimizer.
  offload: { words: 'offload', nature: 'exchange', workClass: 'optimizer', ledger: 'compute' },
} as const satisfies Readonly<Record<string, StepCauseInfo>>

export type StepCause = keyof typeof STEP_CAUSE_TABLE

export const STEP_CAUSE_INFO: Readonly<Record<StepCause, StepCauseInfo>> = STEP_CAUSE_TABLE

export const isStepCause = (name: string): name is StepCause => Object.hasOwn(STEP_CAUSE_TABLE, name)

export const STEP_CAUSES: readonly StepCause[] = Object.keys(STEP_CAUSE_TABLE).filter(isStepCause)

/** What one step of an engine that serves is made of. */
export const ENGINE_STEP_CAUSES = ['products', 'experts', 'exchange', 'vector', 'attention', 'head', 'draft', 'host'] as const
