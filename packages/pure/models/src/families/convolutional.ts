// Convolutional networks: ResNet and MobileNetV2. Positions are pixels of the feature map, from `image_size` (224 when absent).

import type { Architecture, Convolution, Group, Layer } from '../architecture.ts'
import type { FieldReader } from '../field-reader.ts'
import type { Importer } from './importer.ts'

type Step = {
  readonly name: string
  readonly inputs: number
  readonly outputs: number
  readonly side: number
  readonly kernel?: number
  readonly stride?: number
  readonly groups?: number
}

const convolution = ({ name, inputs, outputs, side, kernel = 1, stride = 1, groups = 1 }: Step): Convolution => ({
  kind: 'convolution',
  name,
  inputs,
  outputs,
  kernel,
  groups,
  bias: false,
  batchNorm: true,
  inputPositions: side ** 2,
  outputPositions: Math.ceil(side / stride) ** 2,
})

type Network = { readonly modelType: string; readonly width: number; readonly groups: readonly Group[]; readonly layout: readonly number[] }

function classifier(config: FieldReader, { modelType, width, groups, layout }: Network): Architecture {
  const labels = config.labels()
  if (labels === 0) config.warn('neither num_labels nor id2label is given: counted without a classifier')
  const head: Layer = { kind: 'linear', name: 'classifier', inputs: width, outputs: labels, bias: true, tied: false, role: 'head' }
  const output: Group = { name: 'head', stack: 'output', count: 1, positions: 1, layers: [head] }
  return { modelType, width, vocabulary: 0, tied: false, groups: [...groups, ...(labels === 0 ? [] : [output])], layout }
}

const group = (name: string, count: number, layers: readonly Layer[]): Group => ({ name, stack: 'encoder', count, positions: 1, layers })

export const resnet: Importer = (config, modelType) => {
  const stem = config.count('embedding_size', 64)
  const widths = config.counts('hidden_sizes', [256, 512, 1024, 2048])
  const depths = config.counts('depths', [3, 4, 6, 3])
  if (depths.length !== widths.length) config.refuse('depths', `${depths.length} depths for ${widths.length} hidden_sizes`)
  if (depths.some((depth) => depth < 1 || depth > 1000)) config.refuse('depths', 'each stage has between 1 and 1000 layers')
  const block = config.text('layer_type', 'bottleneck') === 'basic' ? basicBlock : bottleneck
  const image = config.count('image_size', 224)
  const groups: Group[] = [
    {
      ...group('stem', 1, [
        convolution({ name: 'stem', inputs: config.count('num_channels', 3), outputs: stem, side: image, kernel: 7, stride: 2 }),
      ]),
      stack: 'input',
    },
  ]
  const layout: number[] = []
  // The stem halves the image and its pooling halves it again.
  let side = Math.ceil(image / 4)
  let inputs = stem
  for (const [at, outputs] of widths.entries()) {
    const stride = at > 0 || config.flag('downsample_in_first_stage', false) ? 2 : 1
    const depth = config.problem ? 1 : (depths[at] ?? 1)
    layout.push(groups.length)
    groups.push(group(`stage ${at + 1} first`, 1, block({ name: 'block', inputs, outputs, side, stride })))
    side = Math.ceil(side / stride)
    for (let index = 1; index < depth; index += 1) layout.push(groups.length)
    if (depth > 1) groups.push(group(`stage ${at + 1}`, depth - 1, block({ name: 'block', inputs: outputs, outputs, side })))
    inputs = outputs
  }
  return classifier(config, { modelType, width: inputs, groups, layout })
}

const shortcut = ({ inputs, outputs, side, stride = 1 }: Step): readonly Layer[] =>
  inputs === outputs && stride === 1 ? [] : [convolution({ name: 'shortcut', inputs, outputs, side, stride })]

function bottleneck(step: Step): readonly Layer[] {
  const { inputs, outputs, side, stride = 1 } = step
  const inner = outputs / 4
  return [
    ...shortcut(step),
    convolution({ name: 'reduce', inputs, outputs: inner, side }),
    convolution({ name: 'spatial', inputs: inner, outputs: inner, side, kernel: 3, stride }),
    convolution({ name: 'expand', inputs: inner, outputs, side: Math.ceil(side / stride) }),
  ]
}

const basicBlock = (step: Step): readonly Layer[] => [
  ...shortcut(step),
  convolution({ ...step, name: 'first', kernel: 3 }),
  convolution({ name: 'second', inputs: step.outputs, outputs: step.outputs, side: Math.ceil(step.side / (step.stride ?? 1)), kernel: 3 }),
]

/** Channels, repetitions and stride of the seven stages (Sandler et al. 2018, table 2). */
const STAGES = [
  [16, 1, 1],
  [24, 2, 2],
  [32, 3, 2],
  [64, 4, 2],
  [96, 3, 1],
  [160, 3, 2],
  [320, 1, 1],
] as const

export const mobilenetV2: Importer = (config, modelType) => {
  const multiplier = config.fraction('depth_multiplier', 1)
  const scaled = scaling(multiplier, { unit: config.count('depth_divisible_by', 8), least: config.count('min_depth', 8) })
  const expansion = config.count('expand_ratio', 6)
  let side = config.count('image_size', 224)
  let inputs = scaled(32)
  const groups: Group[] = [
    {
      ...group('stem', 1, [
        convolution({ name: 'stem', inputs: config.count('num_channels', 3), outputs: inputs, side, kernel: 3, stride: 2 }),
      ]),
      stack: 'input',
    },
  ]
  side = Math.ceil(side / 2)
  for (const [at, [channels, repeats, firstStride]] of STAGES.entries()) {
    for (let index = 0; index < repeats; index += 1) {
      const stride = index === 0 ? firstStride : 1
      const outputs = scaled(channels)
      groups.push(
        group(`stage ${at + 1}.${index + 1}`, 1, invertedBlock({ name: 'block', inputs, outputs, side, stride }, at === 0 ? 1 : expansion)),
      )
      side = Math.ceil(side / stride)
      inputs = outputs
    }
  }
  const last = multiplier < 1 && config.flag('finegrained_output', true) ? 1280 : scaled(1280)
  const layout = groups.slice(1).map((_, index) => index + 1)
  return classifier(config, {
    modelType,
    width: last,
    groups: [...groups, group('last', 1, [convolution({ name: 'last', inputs, outputs: last, side })])],
    layout,
  })
}

function invertedBlock({ inputs, outputs, side, stride = 1 }: Step, expansion: number): readonly Layer[] {
  const inner = inputs * expansion
  return [
    ...(expansion === 1 ? [] : [convolution({ name: 'expand', inputs, outputs: inner, side })]),
    convolution({ name: 'depthwise', inputs: inner, outputs: inner, side, kernel: 3, stride, groups: inner }),
    convolution({ name: 'reduce', inputs: inner, outputs, side: Math.ceil(side / stride) }),
  ]
}

/** Rounds channels to a multiple of `unit`, never more than a tenth down. */
const scaling =
  (multiplier: number, { unit, least }: { unit: number; least: number }) =>
  (channels: number): number => {
    const wanted = channels * multiplier
    const rounded = Math.max(least, Math.floor((wanted + unit / 2) / unit) * unit)
    return rounded < 0.9 * wanted ? rounded + unit : rounded
  }
