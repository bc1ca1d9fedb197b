// What an optimizer keeps per parameter, and what Muon computes to make its update.

import type { OptimizerName } from '@ironlaw/contracts'
import type { LocalOperator } from '../time/local-operators.ts'
import type { PrecisionPolicy } from './precision.ts'

/** Two moments of one byte each; one 32-bit scale per block of 256 (Dettmers et al., 8-bit Optimizers via Block-wise Quantization, 2021). */
const MOMENTS_8BIT = 2 + 8 / 256

export function withOptimizer(policy: PrecisionPolicy, optimizer: OptimizerName): PrecisionPolicy {
  switch (optimizer) {
    case 'adam':
      return policy
    case 'adam-8bit':
      return { ...policy, moments: MOMENTS_8BIT, optimizer }
    case 'muon':
      return { ...policy, moments: policy.moments / 2, endMoments: policy.moments, optimizer }
  }
}

/** Newton-Schulz iterations per step (Jordan et al., Muon, 2024; the default of Megatron-LM). */
const ITERATIONS = 5

/**
 * FLOP to make the updates of one product's matrices orthogonal: each iteration is three products, [m, n] x [n, m], [m, m] x [m, m] and
 * [m, m] x [m, n], m being the shorter side. Matrices are whole: tensor-parallel ranks gather them and all do the same (`--muon-tp-mode
 * duplicated` of Megatron-LM).
 */
export function orthogonalizing({ operator, weightsBy }: LocalOperator): number {
  if (operator.kind !== 'gemm' && operator.kind !== 'grouped-gemm') return 0
  const { k, n, merged = 1 } = operator
  const matrices = merged * (operator.kind === 'grouped-gemm' ? operator.groups / weightsBy : 1)
  return matrices * iterationFlops(k, n / merged)
}

function iterationFlops(a: number, b: number): number {
  const [m, n] = [Math.min(a, b), Math.max(a, b)]
  return ITERATIONS * (4 * m * m * n + 2 * m ** 3)
}
