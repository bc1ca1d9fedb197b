// What the simulation of a plan assumes where the plan says nothing. Each figure with where it comes from; an estimate says so.

export type AssumedFigure = { readonly name: string; readonly value: number; readonly unit: string; readonly from: string }

const assumedFigure = (name: string, [value, unit]: readonly [number, string], from: string): AssumedFigure => ({ name, value, unit, from })

export const DETECTION = assumedFigure(
  'detection and diagnosis',
  [300, 's'],
  'half of the bound that MegaScale reports for detection and diagnosis, 10 min (Jiang et al. 2024, arXiv:2402.15627)',
)

export const SWAP = assumedFigure('drain and swap of a node', [60, 's'], 'estimate: a warm spare joins the next launch')

export const NODE_REPAIR = assumedFigure('mean time until a broken node returns', [86_400, 's'], 'estimate: a day')

export const NETWORK_REPAIR = assumedFigure('mean time until a broken cable or switch returns', [14_400, 's'], 'estimate: four hours')

export const CORRUPTION_FOUND = assumedFigure('mean time until silent corruption is found', [7200, 's'], 'estimate: two hours')

export const STATE_BYTES = assumedFigure(
  'bytes of a checkpoint per parameter',
  [14, 'B'],
  'bf16 weights, fp32 weights and two fp32 moments; BLOOM wrote 13.1 (BigScience chronicles)',
)

export const STAGING = assumedFigure(
  'training blocked per asynchronous checkpoint, except the copy',
  [0.78, 's'],
  'measured on 1,856 H200 with Llama 3 70B (PyTorch, 6x faster Async Checkpointing, 2025-04)',
)

export const HOST_COPY = assumedFigure('copy to host memory per accelerator', [25e9, 'B/s'], 'estimate: half of PCIe 5.0 x16')

export const CONTENTION = assumedFigure(
  'speed lost while a background write runs',
  [0.1, '1'],
  'estimate; PyTorch saw the lowest rate of such windows at 0.47 less (6x faster Async Checkpointing, 2025-04)',
)

export const NODES_PER_RACK = assumedFigure('nodes per rack', [4, '1'], 'estimate: eight accelerators a node, about 40 kW a rack')

export const NODES_PER_SWITCH = assumedFigure('nodes below one switch', [16, '1'], 'estimate: a leaf of 32 ports or more, two a node')

export const STEP_SPREAD = assumedFigure(
  'spread of step times (logarithmic)',
  [0.3, '1'],
  'estimate: steady steps with a stall now and then',
)

export const IDLE_POWER = assumedFigure('power while nothing runs, of full power', [0.4, '1'], 'estimate: idle devices and hosts')

export const IN_PROCESS_RESTART = assumedFigure(
  'restart inside the processes',
  [60, 's'],
  'estimate: processes live on, communicators and the step begin anew (as the NVIDIA Resiliency Extension does it)',
)

/** Of checkpoints in the memory of peers, every how many also go to storage. */
export const STORED_EVERY = assumedFigure('checkpoints to peers for one to storage', [10, '1'], 'estimate')
