// What each kind of fact holds. Bandwidths of links are per direction and say per what; peaks are per
// precision and never without the word dense or sparse; a price says for what and on which terms.

import { CACHE_PRECISIONS, WEIGHT_PRECISIONS } from '@ironlaw/contracts'
import { measuredFacts } from './measured.ts'
import { anyOf, choice, figure, group, optional, type ReadFields, reference, signedFigure, statement, text, year } from './shape.ts'

export const PRECISIONS = ['fp64', 'fp32', 'tf32', 'fp16', 'bf16', 'fp8', 'fp6', 'fp4', 'int8', 'int4'] as const
export type Precision = (typeof PRECISIONS)[number]

const collective = group({ ranks: figure('1'), alpha: figure('s'), bus: figure('B/s'), highest: optional(figure('B/s')) })
const readWrite = group({ read: figure('B/s'), write: figure('B/s') })

export const KINDS = {
  accelerators: {
    kind: choice('gpu', 'tpu', 'npu', 'cpu', 'mcu', 'edge'),
    vendor: text,
    year,
    peaks: anyOf(PRECISIONS, group({ dense: figure('FLOP/s'), sparse: optional(figure('FLOP/s')) })),
    sparsity: optional(choice('2:4', '4:16')),
    /** `capacity` is as sold, `usable` is the total the driver reports: 80 GB of HBM are often 80 GiB less what it keeps. */
    memory: group({ type: text, capacity: figure('B'), usable: optional(figure('B')), bandwidth: figure('B/s') }),
    cache: optional(figure('B')),
    tdp: figure('W'),
    /** Emitted in the making of one, with its part of the board that carries it. */
    embodied: optional(figure('gCO2e')),
    link: optional(group({ id: reference('links'), bandwidth: figure('B/s') })),
    measured: optional(measuredFacts),
  },
  links: {
    scope: choice('scale-up', 'scale-out', 'host'),
    per: choice('device', 'port'),
    perDirection: figure('B/s'),
    /** Between one pair, where a mesh gives a pair less than the sum over all peers. */
    perPeer: optional(figure('B/s')),
    latency: figure('s'),
    achievable: optional(figure('1')),
    collectives: optional(anyOf(['all-reduce', 'all-reduce-custom', 'all-gather', 'reduce-scatter', 'all-to-all'], collective)),
  },
  fabrics: {
    link: reference('links'),
    topology: reference('topologies'),
    devices: figure('1'),
    oversubscription: figure('1'),
    perDevice: figure('B/s'),
    bisection: optional(figure('B/s')),
    hop: optional(figure('s')),
    inNetworkReduction: choice('yes', 'no'),
  },
  topologies: {
    radix: optional(figure('1')),
    hops: figure('1'),
    oversubscription: figure('1'),
    bisectionFraction: figure('1'),
    endpoints: statement,
    bisection: statement,
    diameter: statement,
  },
  nodes: {
    form: choice('server', 'rack', 'slice', 'cloud'),
    provider: optional(text),
    accelerator: reference('accelerators'),
    accelerators: figure('1'),
    /** Accelerators of one host, where a node is a rack of several. */
    perHost: optional(figure('1')),
    link: optional(reference('links')),
    fabric: optional(reference('fabrics')),
    nics: optional(group({ link: reference('links'), count: figure('1') })),
    hostMemory: optional(figure('B')),
    vcpus: optional(figure('1')),
    cores: optional(figure('1')),
    localStorage: optional(group({ capacity: figure('B'), read: optional(figure('B/s')) })),
    power: optional(figure('W')),
  },
  storage: {
    tier: choice('memory', 'local', 'parallel', 'network', 'object', 'archive'),
    perClient: readWrite,
    aggregate: optional(readWrite),
    latency: figure('s'),
    pricePerMonth: optional(figure('USD/B')),
    purchase: optional(figure('USD/B')),
  },
  failures: {
    component: choice(
      'gpu',
      'hbm',
      'nic',
      'switch',
      'link',
      'host',
      'cpu',
      'memory',
      'psu',
      'ssd',
      'software',
      'silent-corruption',
      'node',
      'machine',
      'all',
    ),
    per: choice('accelerator', 'node', 'link', 'switch', 'device'),
    rate: optional(figure('1/s')),
    events: optional(figure('1')),
    devices: optional(figure('1')),
    window: optional(figure('s')),
    annual: optional(figure('1')),
    affected: optional(figure('1')),
    restart: optional(figure('s')),
  },
  prices: {
    of: choice('accelerator-hour', 'purchase', 'energy', 'storage', 'egress'),
    provider: text,
    accelerator: optional(reference('accelerators')),
    node: optional(reference('nodes')),
    onDemand: optional(figure('USD/s')),
    reserved1Year: optional(figure('USD/s')),
    reserved3Years: optional(figure('USD/s')),
    spot: optional(figure('USD/s')),
    purchase: optional(figure('USD')),
    energy: optional(figure('USD/J')),
    perByte: optional(figure('USD/B')),
    perByteMonth: optional(figure('USD/B')),
  },
  grids: {
    region: text,
    carbon: figure('gCO2e/J'),
    pue: optional(figure('1')),
    wue: optional(figure('L/J')),
    price: optional(figure('USD/J')),
  },
  /** How far a precision of one model scores below the reference on one suite, item by item. None ships: it is measured. */
  quality: {
    model: text,
    precision: choice(...WEIGHT_PRECISIONS),
    cache: choice(...CACHE_PRECISIONS),
    /** Weights that the drop is against; its keys and values are kept in 16 bits. */
    reference: choice(...WEIGHT_PRECISIONS),
    suite: text,
    task: text,
    metric: text,
    /** Of the items, of the instrument without its quantization, and of the results that were compared. */
    digests: group({ items: text, instrument: text, reference: text, candidate: text }),
    items: figure('1'),
    /** Share of the items whose scores differ. */
    differing: figure('1'),
    referenceScore: figure('1'),
    score: figure('1'),
    /** Reference minus candidate, with the bounds that the truth lies beyond with 5 % each, divided by the candidates compared at once. */
    drop: group({ value: signedFigure('1'), low: signedFigure('1'), high: signedFigure('1') }),
    candidates: figure('1'),
  },
} as const

export type Kind = keyof typeof KINDS
export type Facts<K extends Kind> = ReadFields<(typeof KINDS)[K]>

export const KIND_NAMES = Object.keys(KINDS) as readonly Kind[]

/** The word for one entry of a kind, as messages say it. */
export const SINGULAR = {
  accelerators: 'accelerator',
  links: 'link',
  fabrics: 'fabric',
  topologies: 'topology',
  nodes: 'node',
  storage: 'storage tier',
  failures: 'failure record',
  prices: 'price',
  grids: 'grid',
  quality: 'measured quality',
} as const satisfies Record<Kind, string>
