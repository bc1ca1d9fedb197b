// What a residual of a step can be told apart by: the phases that training programs name. A plan's causes fall to them.

export const WORK_CLASSES = ['compute', 'communication', 'optimizer'] as const

export type WorkClass = (typeof WORK_CLASSES)[number]

const CLASS_OF: Readonly<Record<string, WorkClass>> = {
  tensor: 'communication',
  context: 'communication',
  expert: 'communication',
  send: 'communication',
  data: 'communication',
  optimizer: 'optimizer',
  offload: 'optimizer',
}

export const workClassOf = (cause: string): WorkClass => CLASS_OF[cause] ?? 'compute'
