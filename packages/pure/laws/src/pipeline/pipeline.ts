// Stages that wait for each other: the layers of a model over devices, or host and accelerator in turn.

import { count, countOr, law, one, or } from '../law.ts'
import { vol1 } from '../sources.ts'
import { tolerantCeil } from '../whole.ts'

const GPIPE = 'Y. Huang et al., GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism, NeurIPS 2019'
const MEGATRON = 'D. Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM, SC21, 2021'

const virtual = or('1', 1, { least: 1 })

// Not 1 / microbatches, which the book prints once and which is right for two stages only.
export const bubbleFraction = law({
  id: 'pipeline/bubble-fraction',
  name: 'Pipeline bubble',
  decides: 'how many microbatches and virtual stages a pipeline needs before its devices stop idling',
  is: '(stages - 1) / (microbatches * virtualStages + stages - 1)',
  source: `${GPIPE}; ${MEGATRON} for virtual stages`,
  validity: 'stages of equal time, fill and drain in every step (GPipe, 1F1B), communication hidden',
  inputs: { stages: count, microbatches: count, virtualStages: virtual },
  output: 'bubble',
  unit: '1',
  of: ({ stages, microbatches, virtualStages = 1 }) => (stages - 1) / (microbatches * virtualStages + stages - 1),
  also: {
    // Relative to useful time instead of the total, as the Megatron papers give it.
    overhead: {
      unit: '1',
      is: '(stages - 1) / (microbatches * virtualStages)',
      of: ({ stages, microbatches, virtualStages = 1 }) => (stages - 1) / (microbatches * virtualStages),
    },
  },
})

export const microbatchesForBubble = law({
  id: 'pipeline/microbatches-for-bubble',
  name: 'Microbatches that keep the bubble below a share',
  decides: 'into how many microbatches to split a batch',
  is: 'ceil(((stages - 1) / bubble - (stages - 1)) / virtualStages)',
  source: `${GPIPE}, its bubble solved for the microbatches`,
  validity: 'stages of equal time; the global batch divides into that many microbatches',
  inputs: { stages: count, bubble: one('1', { most: 1 }), virtualStages: virtual },
  output: 'microbatches',
  unit: '1',
  of: ({ stages, bubble, virtualStages = 1 }) => tolerantCeil(((stages - 1) / bubble - (stages - 1)) / virtualStages),
})

export const dutyCycle = law({
  id: 'pipeline/duty-cycle',
  name: 'Accelerator duty cycle behind a host',
  decides: 'whether to overlap pre- and postprocessing with the accelerator',
  is: 'acceleratorTime / max(acceleratorTime, hostTime)',
  source: vol1.modelServing,
  validity: 'steady load, two-deep pipeline, host and accelerator do not share a resource',
  inputs: { acceleratorTime: one('s'), hostTime: one('s') },
  output: 'overlapped',
  unit: '1',
  of: ({ acceleratorTime, hostTime }) => acceleratorTime / Math.max(acceleratorTime, hostTime),
  also: {
    serial: {
      unit: '1',
      is: 'acceleratorTime / (acceleratorTime + hostTime)',
      of: ({ acceleratorTime, hostTime }) => acceleratorTime / (acceleratorTime + hostTime),
    },
  },
})

export const interleavedBubble = law({
  id: 'pipeline/interleaved-bubble',
  name: 'Filling and draining an interleaved pipeline',
  decides: 'into how many chunks to cut the layers of a stage',
  is: '(stages - 1) * (forwardTime + backwardTime) / virtualStages',
  source: MEGATRON,
  validity: 'equal stages, microbatches a multiple of the stages; one chunk per stage is 1F1B',
  inputs: { stages: count, forwardTime: one('s'), backwardTime: one('s'), virtualStages: countOr(1) },
  output: 'bubble',
  unit: 's',
  of: ({ stages, forwardTime, backwardTime, virtualStages = 1 }) => ((stages - 1) * (forwardTime + backwardTime)) / virtualStages,
})

export const zeroBubble = law({
  id: 'pipeline/zero-bubble',
  name: 'Filling and draining with weight gradients in the gaps',
  decides: 'whether to split the backward pass',
  is: '(stages - 1) * (forwardTime + backwardTime - 2 * weightTime)',
  source: 'P. Qi et al., Zero Bubble Pipeline Parallelism, 2023, ZB-H1',
  validity: 'weightTime is the part of the backward pass that makes gradients of weights; memory as of 1F1B',
  inputs: { stages: count, forwardTime: one('s'), backwardTime: one('s'), weightTime: one('s') },
  output: 'bubble',
  unit: 's',
  of: ({ stages, forwardTime, backwardTime, weightTime }) => (stages - 1) * (forwardTime + backwardTime - 2 * weightTime),
})

export const dualPipeBubble = law({
  id: 'pipeline/dualpipe-bubble',
  name: 'Filling and draining a pipeline fed from both ends',
  decides: 'whether to hold the weights twice for a shorter bubble',
  is: '(stages / 2 - 1) * (forwardTime + 2 * backwardTime - 3 * weightTime)',
  source:
    'DeepSeek-AI, DeepSeek-V3 Technical Report, 2024, table 2, with a pass of each kind side by side taking as long as one after the other',
  validity: 'an even number of stages; every device holds the weights of two stages',
  inputs: { stages: count, forwardTime: one('s'), backwardTime: one('s'), weightTime: one('s') },
  output: 'bubble',
  unit: 's',
  of: ({ stages, forwardTime, backwardTime, weightTime }) => (stages / 2 - 1) * (forwardTime + 2 * backwardTime - 3 * weightTime),
})
