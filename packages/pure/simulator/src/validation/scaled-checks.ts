// Figures that follow from a rate and a number by the laws alone: mean times to failure by job size, and rates of fleets.

import { clusterMtbf } from '@ironlaw/laws/reliability/mtbf'
import { youngDaly } from '@ironlaw/laws/reliability/young-daly'
import { DAY, HOUR, quantity, seconds } from '@ironlaw/units'
import type { Check } from './check.ts'
import { PUBLISHED } from './published.ts'
import { beliefWithout, type RateBelief, rateFactor } from '../reliability/rates.ts'

const PER_NODE = 8

const figure = (id: string): number => PUBLISHED.get(id)?.value ?? Number.NaN

type CheckInputs = Pick<Check, 'id' | 'campaign' | 'test' | 'predicted' | 'inputs'> &
  Partial<Pick<Check, 'low' | 'high' | 'note' | 'published' | 'unit'>>

function check(part: CheckInputs): Check {
  const row = PUBLISHED.get(part.id)
  const published = part.published ?? row?.value ?? Number.NaN
  const { low, high } = part
  return {
    figure: row?.metric ?? part.id,
    unit: row?.unit ?? '',
    ...(row?.bound !== undefined && { bound: row.bound }),
    ...(low !== undefined && high !== undefined && { inside: low <= published && published <= high }),
    source: row?.source ?? '',
    ...part,
    published,
  }
}

const mttf_h = (node_s: number, accelerators: number): number =>
  clusterMtbf.of({ mtbf: seconds(node_s), devices: quantity(accelerators / PER_NODE, '1') }) / HOUR

function researchClusters(): Check[] {
  const rate = figure('rsc-rf1') / 1000
  const own = [{ name: 'node failures per 1,000 node-days', value: 1000 * rate, unit: '1', from: 'its own: Meta RSC-1' }]
  const campaign = 'Meta RSC-1, jobs by size'
  return [
    check({
      id: 'rsc-m1024',
      campaign,
      test: 'prediction',
      predicted: mttf_h(figure('rsc-m8') * DAY, 1024),
      inputs: [{ name: 'MTTF of 8-GPU jobs', value: figure('rsc-m8'), unit: 'days', from: 'the same paper, another job size' }],
      note: 'from jobs of one node to jobs of 128',
    }),
    check({
      id: 'rsc-m8',
      campaign,
      test: 'consistency',
      predicted: 1 / rate,
      inputs: own,
      note: 'hardware only; the published figure counts every failed job, so it must be lower',
    }),
    ...(['rsc-m16k', 'rsc-m131k'] as const).map((id) =>
      check({
        id,
        campaign,
        test: 'consistency',
        predicted: mttf_h(DAY / rate, PUBLISHED.get(id)?.accelerators ?? Number.NaN),
        inputs: own,
        note: 'the published figure is itself a projection from this rate',
      }),
    ),
  ]
}

/** Accelerators of the fleet in ByteRobust's table, "over 200,000". */
const FLEET = 200_000

/** Quantiles of a rate over the clusters that may come, software included where the figure counts it. */
function rateQuantiles(belief: RateBelief, counts: 'hardware' | 'anything'): Record<'low' | 'predicted' | 'high', number> {
  const shares = Array.from({ length: RATE_SHARES }, (_, index) => (index + 0.5) / RATE_SHARES)
  const software = counts === 'hardware' ? [0] : belief.software
  const rates = shares
    .flatMap((share) => software.map((each) => belief.perNodeDay * rateFactor(belief, share) * (1 + each)))
    .toSorted((a, b) => a - b)
  const at = (share: number): number => rates[Math.floor(share * rates.length)] ?? Number.NaN
  return { low: at(0.05), predicted: at(0.5), high: at(0.95) }
}

const RATE_SHARES = 200
const scaled = ({ low, predicted, high }: Record<'low' | 'predicted' | 'high', number>, factor: number) => ({
  low: low * factor,
  predicted: predicted * factor,
  high: high * factor,
})

function fleets(): Check[] {
  const all = beliefWithout('none')
  const others = beliefWithout('fthsdp')
  const [explicit, implicit] = (PUBLISHED.get('byterobust-f')?.text ?? '').split('/').map(Number)
  const nodeDays = (FLEET * (PUBLISHED.get('byterobust-f')?.days ?? Number.NaN)) / PER_NODE
  const rateInput = ({ perNodeDay, from }: RateBelief) => [
    { name: 'hardware failures per 1,000 node-days', value: 1000 * perNodeDay, unit: '1', from },
  ]
  return [
    check({
      id: 'fthsdp-rate',
      campaign: 'FT-HSDP, 32,000 GPUs',
      test: 'prediction',
      ...scaled(rateQuantiles(others, 'anything'), 1000),
      inputs: rateInput(others),
    }),
    check({
      id: 'byterobust-f',
      campaign: 'ByteRobust, fleet above 200,000 GPUs',
      test: 'prediction',
      published: (explicit ?? Number.NaN) + (implicit ?? Number.NaN),
      ...scaled(rateQuantiles(all, 'anything'), nodeDays),
      inputs: rateInput(all),
      note: 'explicit and implicit failures together; many small jobs, where faults of user code count too',
    }),
  ]
}

/** Faulty GPU, HBM, SRAM and system processor of Llama 3. */
const GPU_CAUSES = ['llama3-cause-01', 'llama3-cause-02', 'llama3-cause-06', 'llama3-cause-07']
const BLOOM_HOURS_PER_INTERVAL = 3

function bloom(): Check[] {
  const perGpuDay = GPU_CAUSES.reduce((sum, id) => sum + figure(id), 0) / (16_384 * 54)
  const mtbf_s = (7 * DAY) / figure('bloom-gpu')
  return [
    check({
      id: 'bloom-gpu',
      campaign: 'BLOOM-176B, 384 A100',
      test: 'prediction',
      ...scaled(rateQuantiles({ ...beliefWithout('bloom'), perNodeDay: perGpuDay }, 'hardware'), 384 * 7),
      inputs: [{ name: 'GPU failures per GPU and day', value: perGpuDay, unit: '1', from: 'Llama 3, Table 5: GPU, HBM, SRAM, processor' }],
      note: 'another generation of GPU; the spread is that of whole nodes',
    }),
    check({
      id: 'bloom-int',
      campaign: 'BLOOM-176B, 384 A100',
      test: 'consistency',
      published: BLOOM_HOURS_PER_INTERVAL,
      unit: 'hours',
      predicted: youngDaly.of({ writeTime: seconds(figure('bloom-save')), mtbf: seconds(mtbf_s) }) / HOUR,
      inputs: [
        { name: 'checkpoint write', value: figure('bloom-save'), unit: 's', from: 'the source' },
        { name: 'MTBF', value: mtbf_s, unit: 's', from: 'the source: about one GPU failure a week' },
      ],
      note: 'what they chose against what Young and Daly would have: a decision, not a measurement',
    }),
  ]
}

export const scaledChecks = (): Check[] => [...researchClusters(), ...fleets(), ...bloom()]
