// Memory for activations in training: the tensors kept for the backward pass, summed from the operators that keep them.
// The closed formula of Korthikanti et al. 2022 (34 s b h + 5 a s^2 b per layer) is a special case: GELU, one key-value head
// per head, dropout, unfused attention. It is a test here, not the definition.

import { type Bytes, bytes } from '@ironlaw/units'
import type { Architecture } from './architecture.ts'
import { operatorList } from './operators.ts'
import type { Workload } from './workload.ts'

export type ActivationGroup = {
  readonly group: string
  readonly count: number
  /** Of one occurrence. */
  readonly bytes: Bytes
  /** What full recomputation keeps instead: the input of one occurrence. */
  readonly inputBytes: Bytes
}

export type Activations = { readonly total: Bytes; readonly groups: readonly ActivationGroup[] }

export function activationBytes(architecture: Architecture, workload: Workload): Activations {
  const operators = operatorList(architecture, workload)
  const groups = architecture.groups.flatMap((group): ActivationGroup[] => {
    const own = operators.filter((each) => each.group === group.name && each.stack === group.stack)
    if (own.length === 0) return []
    return [
      {
        group: group.name,
        count: group.count,
        bytes: bytes(own.reduce((sum, each) => sum + each.savedBytes, 0)),
        inputBytes: bytes(own[0]?.readBytes ?? 0),
      },
    ]
  })
  return { total: bytes(groups.reduce((sum, group) => sum + group.count * group.bytes, 0)), groups }
}
