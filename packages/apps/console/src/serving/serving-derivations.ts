// Derivations of the figures of a deployment: laws with catalog figures, the floor that no software can beat, and what the engine adds.

import type { Catalog } from '@ironlaw/catalog'
import type { ServingPlan, ServingPool } from '@ironlaw/contracts'
import { economicsOf, ENGINE_RUNTIMES, floorsOf, type Floors, SERVING_PRECISIONS, servingMachine } from '@ironlaw/planner'
import { givenValue, HOUR, type Known, type KnownInputs, sourcedValue } from '@ironlaw/units'
import { findDecoder } from '../decoders.ts'
import { plannerFigure } from '../planned.ts'
import type { ServingQuestion } from './question.ts'

export function servingDerivations(catalog: Catalog, question: ServingQuestion, plan: ServingPlan): Readonly<Record<string, Known>> {
  const { prediction, traffic, objectives, accelerator, devices } = plan
  const hour = economicsOf(catalog, { accelerator, devices, duration: givenValue(HOUR, 's') })
  const tokens = plannerFigure(
    { value: traffic.requests_per_s * traffic.output_tokens * HOUR, unit: 'token', output: 'tokens', is: 'requests * output * hour' },
    {
      requests: givenValue(traffic.requests_per_s, '1/s'),
      output: givenValue(traffic.output_tokens, 'token'),
      hour: givenValue(HOUR, 's'),
    },
  )
  const [first, last] = [plan.pools[0], plan.pools.at(-1)]
  const [before, after] = [first && floorsFor(first, { catalog, question, plan }), last && floorsFor(last, { catalog, question, plan })]
  return {
    devices: devicesOf(plan),
    'energy of a token': plannerFigure(
      { value: prediction.joules_per_token, unit: 'J', output: 'energy', is: 'energy of an hour / tokens of an hour' },
      { energy: hour.energy, tokens },
    ),
    ...(hour.cost && { 'money an hour': hour.cost }),
    ...(hour.cost &&
      prediction.usd_per_million_tokens !== undefined && {
        'money per million tokens': plannerFigure(
          { value: prediction.usd_per_million_tokens, unit: 'USD', output: 'cost', is: 'cost of an hour / tokens of an hour * 1e6' },
          { cost: hour.cost, tokens },
        ),
      }),
    ...(before && { 'first token': aboveFloor(prediction.ttft_s, before.ttft, 'queueing, other prompts, and kernels below their peak') }),
    ...(after && {
      'each further token': aboveFloor(
        prediction.tpot_s,
        after.tpot,
        'the cache of all sequences, exchanges, launches, and prompts in between',
      ),
    }),
    'requests of a replica': plannerFigure(
      {
        value: prediction.replica_requests_per_s,
        unit: '1/s',
        output: 'requests',
        is: `the most with ttft and tpot (${objectives.percentile}) within the objectives; ${prediction.binding} binds`,
      },
      {
        'ttft allowed': givenValue(objectives.ttft_s, 's'),
        'tpot allowed': givenValue(objectives.tpot_s, 's'),
        ttft: sourcedValue(prediction.ttft_s, 's', STATE),
        tpot: sourcedValue(prediction.tpot_s, 's', STATE),
        'decoding at once': sourcedValue(prediction.decoding, '1', STATE),
      },
    ),
  }
}

const STATE = { ref: "steady state of the engine's steps, from kernel times fitted to published measurements", asOf: 'facts/silicon' }

type Context = { readonly catalog: Catalog; readonly question: ServingQuestion; readonly plan: ServingPlan }

/** Undefined if the precision or the engine is not known. */
function floorsFor({ layout }: ServingPool, { catalog, question, plan }: Context): Floors | undefined {
  const precision = Object.values(SERVING_PRECISIONS).find(({ name }) => name === plan.precision)
  const runtime = Object.entries(ENGINE_RUNTIMES).find(([name]) => name === plan.engine)?.[1]
  if (!precision || !runtime) return undefined
  const replica = {
    architecture: findDecoder(question).architecture,
    machine: servingMachine(catalog, { accelerator: plan.accelerator }),
    precision,
    cache: plan.cache,
    runtime,
    layout,
  }
  return floorsOf(catalog, replica, plan.traffic.input_tokens * (1 - plan.traffic.cachedPrompt))
}

const aboveFloor = (value: number, floor: Known<'s'>, what: string): Known<'s'> =>
  plannerFigure(
    { value, unit: 's', output: 'time', is: 'floor + above' },
    { floor, above: sourcedValue(value - floor.value, 's', { ref: `${what}: ${STATE.ref}`, asOf: STATE.asOf }) },
  )

function devicesOf({ pools, spare, devices, prediction, traffic }: ServingPlan): Known<'1'> {
  const [only, ...others] = pools
  // With two pools each has its own capacity, and a plan holds only that of the last.
  const inputs: KnownInputs =
    only && others.length === 0
      ? {
          requests: givenValue(traffic.requests_per_s, '1/s'),
          capacity: sourcedValue(prediction.replica_requests_per_s, '1/s', STATE),
          spare: givenValue(spare, '1'),
          perReplica: givenValue(only.devicesPerReplica, '1'),
        }
      : Object.fromEntries(
          pools.flatMap(({ role, replicas, devicesPerReplica }) => [
            [`${role} replicas`, sourcedValue(replicas, '1', STATE)],
            [`devices of one for ${role}`, givenValue(devicesPerReplica, '1')],
          ]),
        )
  const is = others.length === 0 ? '(ceil(requests / capacity) + spare) * perReplica' : 'sum of replicas * devices of one'
  return plannerFigure({ value: devices, unit: '1', output: 'devices', is }, inputs)
}
