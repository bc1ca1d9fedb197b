// Derivations of the failure figures: laws where a closed form decides, assumptions with their sources where runs are simulated.

import type { Catalog } from '@ironlaw/catalog'
import type { TrainingPlan } from '@ironlaw/contracts'
import { explain } from '@ironlaw/laws'
import { dalyInterval } from '@ironlaw/laws/checkpoint/interval'
import { seriesMtbf } from '@ironlaw/laws/reliability/mtbf'
import { type Campaign, type Component, planCampaign, type ReliabilityForecast, type statedFailures } from '@ironlaw/simulator'
import { givenValue, isBaseUnit, type Known, sourcedValue } from '@ironlaw/units'
import { plannerFigure } from '../planned.ts'

type ForecastInputs = {
  readonly half: ReliabilityForecast
  /** What the spec states of failures. */
  readonly stated: ReturnType<typeof statedFailures>
}

export function failureDerivations(
  catalog: Catalog,
  plan: TrainingPlan,
  { half, stated }: ForecastInputs,
): Readonly<Record<string, Known>> {
  const { campaign, assumed } = planCampaign(catalog, plan, stated)
  const { outcome, goodput, money, nodesInRepair } = half
  const failures = assumed.find(({ name }) => name === 'failures')?.from ?? ''
  const mtbf = mtbfOf(campaign, failures)
  const interval = explain(dalyInterval, { writeTime: writeTimeOf(campaign), mtbf })
  const simulated = { ref: `mean of ${outcome.replicas} simulated runs`, asOf: 'seed 1' }
  const taken = Object.fromEntries(
    assumed.flatMap(({ name, value, unit, from }) =>
      isBaseUnit(unit) ? [[name, sourcedValue(value, unit, { ref: from, asOf: 'assumed' })]] : [],
    ),
  )
  const work = givenValue(half.work_s, 's')
  return {
    'time between failures': mtbf,
    'checkpoint interval': interval,
    'spare nodes': plannerFigure(
      { value: half.spares, unit: '1', output: 'spares', is: 'ceil(inRepair + 3.09 * sqrt(inRepair)): enough in 99.9 % of the time' },
      {
        inRepair: sourcedValue(nodesInRepair, '1', {
          ref: 'nodes that fail while one is repaired: their rate times the time',
          asOf: 'this plan',
        }),
      },
    ),
    goodput: plannerFigure(
      { value: goodput.scheduling * goodput.runtime, unit: '1', output: 'goodput', is: 'scheduling * runtime' },
      { scheduling: sourcedValue(goodput.scheduling, '1', simulated), runtime: sourcedValue(goodput.runtime, '1', simulated) },
    ),
    'end with failures': plannerFigure(
      {
        value: half.range.median_s,
        unit: 's',
        output: 'end',
        is: `median of ${outcome.replicas} simulated runs on clusters that differ in ${half.range.holds.join(', ')}`,
      },
      { work, mtbf, interval, ...taken },
    ),
    ...(money.wasted_usd !== undefined && {
      'lost money': sourcedValue(money.wasted_usd, 'USD', {
        ref: `${simulated.ref}: what was paid for time that does not count`,
        asOf: simulated.asOf,
      }),
    }),
  }
}

function mtbfOf(campaign: Campaign, from: string): Known<'s'> {
  const { nodes, perNode, nodesPerRack, nodesPerSwitch, components } = campaign
  const units: Readonly<Record<Component['scope'], number>> = {
    accelerator: nodes * perNode,
    node: nodes,
    rack: Math.ceil(nodes / nodesPerRack),
    switch: Math.ceil(nodes / nodesPerSwitch),
    job: 1,
  }
  return explain(seriesMtbf, {
    componentMtbf: components.map(({ name, mtbf_s }) => sourcedValue(mtbf_s, 's', { ref: `${name}: ${from}`, asOf: 'catalog' })),
    componentCount: components.map(({ scope }) => givenValue(units[scope], '1')),
  })
}

/** Training time that one checkpoint costs: the pause, and the slowdown while it is written in the background. */
function writeTimeOf({ checkpointing: { pause_s, tiers, slowdown } }: Campaign): Known<'s'> {
  const write = tiers.reduce((sum, { write_s, every }) => sum + write_s / every, 0)
  const from = { ref: 'from the size of the state and the storage of the plan', asOf: 'this plan' }
  return plannerFigure(
    { value: pause_s + slowdown * write, unit: 's', output: 'writeTime', is: 'pause + slowdown * write' },
    { pause: sourcedValue(pause_s, 's', from), slowdown: sourcedValue(slowdown, '1', from), write: sourcedValue(write, 's', from) },
  )
}
