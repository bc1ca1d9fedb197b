// `ironlaw simulate serve`: a deployment from a plan, from flags or of a measured engine, under generated or traced traffic.

import { accelerator as acceleratorOf, type Catalog } from '@ironlaw/catalog'
import { IronlawError, LENGTH_VARIATION, quantityOf, type ServingPlan } from '@ironlaw/contracts'
import { DEFAULT_SCALING } from '@ironlaw/contracts/deployment-api'
import { parseServeSpec } from '@ironlaw/contracts/serve-spec'
import type { Architecture } from '@ironlaw/models'
import { answersInOnePass, onePassArchitecture, planServing, SINGLE } from '@ironlaw/planner'
import {
  type Arrivals,
  type ClusterRule,
  drawnArrivals,
  isRouter,
  logNormalLength,
  ROUTER_NAMES,
  sharedPrefix,
  simulateServing,
  speedOf,
  type Trace,
  tracedArrivals,
} from '@ironlaw/simulator/serving'
import type { CommandAnswer } from '../answer.ts'
import { catalogFor } from '../catalog/catalog-source.ts'
import { readDocument } from '../input-file.ts'
import { readServingPlan } from '../plan/plan-file.ts'
import { modelFrom } from '../model/model-source.ts'
import { paint } from '../paint.ts'
import { readServing } from '../plan/serve-source.ts'
import { wholeNumber } from '../whole-number.ts'
import { engineScenario } from './simulate-serve-engine.ts'
import type { SimulateServeFlags } from './simulate-serve-flags.ts'
import {
  COMMAND,
  type DeploymentDescription,
  simulatedTraffic,
  poolRule,
  prefillOf,
  type ServingScenario,
  readTrace,
} from './simulate-serve-replica.ts'
import { settingsOf, type SpecSettings } from './simulate-serve-spec.ts'
import { simulateServeText } from './simulate-serve-text.ts'

const LOOK_S = 10
/** For a replica without measurements: the time to load weights of tens of gigabytes. */
const COLD_START_S = 60

export function simulateServeAnswer(file: string | undefined, flags: SimulateServeFlags): CommandAnswer {
  const settings = file === undefined || flags.engine !== undefined ? undefined : settingsIn(file)
  const path = flags.trace ?? (flags.rate === undefined ? settings?.trace : undefined)
  const trace = path === undefined ? undefined : readTrace(path)
  const served =
    flags.engine === undefined ? planScenario({ file, settings, trace }, flags) : engineScenario({ id: flags.engine, file, trace }, flags)
  const rule = ruleOf(served, flags)
  const seed = wholeNumber('--seed', flags.seed)
  const asked = trace ? tracedArrivals(trace, positiveFlag('--speed', flags.speed)) : arrivalsFromFlags(served, flags)
  const arrivals = served.limited?.(asked) ?? asked
  const hashes = trace?.hashes ?? served.prefix?.hashes
  const outcome = simulateServing(rule, arrivals, { seed, ...(hashes && { hashes }) })
  const { ttft, tpot, ...figures } = outcome
  const { plan } = served
  return {
    json: {
      deployment: served.json,
      router: rule.router,
      ...(rule.objectives && { objectives: rule.objectives }),
      ...(plan && {
        plan: plan.id,
        predicted: { ttft_s: plan.prediction.ttft_s, tpot_s: plan.prediction.tpot_s, percentile: plan.objectives.percentile },
      }),
      ...(served.notSimulated?.length && { not_simulated: served.notSimulated }),
      ...figures,
      histogram: { ttft_s: ttft.parts(BINS), tpot_s: tpot.parts(BINS) },
    },
    text: () => simulateServeText({ served, rule, outcome }),
  }
}

const BINS = 16

type PlanScenario = { readonly file: string | undefined; readonly settings: SpecSettings | undefined; readonly trace: Trace | undefined }

function planScenario({ file, settings, trace }: PlanScenario, flags: SimulateServeFlags): ServingScenario {
  if (flags.oneMachine === true)
    throw new IronlawError('IL_USAGE', {
      problem: '--one-machine requires --engine: how replicas slow each other down is measured, not planned',
      command: COMMAND,
    })
  const catalog = catalogFor(flags.with)
  const deployment = file === undefined ? fromFlags(catalog, flags) : fromFile(catalog, file)
  const { model, accelerator, precision, engine, pools, traffic, objectives, plan } = deployment
  const main = pools.find(({ role }) => role !== 'prefill')
  const first = pools.find(({ role }) => role === 'prefill')
  if (!main) throw new IronlawError('IL_USAGE', { problem: 'the plan has no replicas that decode', command: COMMAND })
  const prefix = trace || !traffic?.cachedPrompt ? undefined : sharedPrefix(traffic)
  const prefixTokens = trace?.hashTokens ?? prefix?.tokens
  const replica = poolRule(catalog, { deployment, pool: main, prefixTokens, maxRunning: settings?.maxRunning })
  const replicas = flags.replicas === undefined ? (settings?.replicas ?? main.replicas) : wholeNumber('--replicas', flags.replicas)
  const prefill = first && prefillOf(catalog, { deployment, pool: first, decode: main, prefixTokens })
  const shape = `${replicas} ${replicas === 1 ? 'replica' : 'replicas'} of ${main.devicesPerReplica} x ${accelerator}, ${precision}`
  return {
    title: `${paint('bold', model)} on ${shape}${prefill ? `, ${prefill.replicas} more for prompts` : ''}`,
    json: { model, accelerator, precision, engine, pools },
    base: { replica, replicas, ...(prefill && { prefill }) },
    coldStart_s: settings?.coldStart_s ?? COLD_START_S,
    ...(prefix && { prefix }),
    ...(settings?.scaling && { scaling: settings.scaling }),
    ...(settings && { notSimulated: settings.notSimulated }),
    ...(traffic && { traffic }),
    ...(objectives && { objectives }),
    ...(plan && { plan }),
  }
}

/** From a spec; a plan has none. */
function settingsIn(file: string): SpecSettings | undefined {
  const document = readDocument(file)
  const isSpec = typeof document === 'object' && document !== null && 'kind' in document && document.kind === 'Serve'
  return isSpec ? settingsOf(parseServeSpec(document, file)) : undefined
}

function fromFile(catalog: Catalog, file: string): DeploymentDescription {
  const document = readDocument(file)
  if (typeof document === 'object' && document !== null && 'kind' in document && document.kind === 'Serve') {
    const best = planServing(catalog, readServing(catalog, file).wanted).plans[0]
    if (!best)
      throw new IronlawError('IL_USAGE', {
        problem: `${file}: no plan meets the objectives; "ironlaw plan ${file}" says why`,
        command: COMMAND,
      })
    return fromPlan(best)
  }
  return fromPlan(readServingPlan(file))
}

const fromPlan = (plan: ServingPlan): DeploymentDescription => ({
  ...plan,
  ...findModel(plan.model.name),
  traffic: simulatedTraffic(plan),
  plan,
})

function findModel(named: string): { readonly model: string; readonly architecture: Architecture } {
  const { name, architecture } = modelFrom(named)
  return { model: name, architecture: answersInOnePass(architecture) ? onePassArchitecture(architecture) : architecture }
}

function fromFlags(catalog: Catalog, flags: SimulateServeFlags): DeploymentDescription {
  const { model, on, precision } = flags
  if (model === undefined || on === undefined)
    throw new IronlawError('IL_USAGE', { problem: 'give a serving spec, --model and --on, or --engine', command: COMMAND })
  const tensor = wholeNumber('--tensor', flags.tensor)
  const pool = { role: 'all', replicas: 1, layout: { ...SINGLE, tensor }, devicesPerReplica: tensor } as const
  return { ...findModel(model), accelerator: acceleratorOf(catalog, on).id, precision, cache: 'bf16', engine: 'vllm', pools: [pool] }
}

function ruleOf(served: ServingScenario, flags: SimulateServeFlags): ClusterRule {
  if (!isRouter(flags.router))
    throw new IronlawError('IL_USAGE', {
      problem: `unknown router "${flags.router}"; known routers: ${ROUTER_NAMES.join(', ')}`,
      command: COMMAND,
    })
  const objectives = objectivesOf(served, flags)
  return {
    ...served.base,
    router: flags.router,
    ...(objectives && { objectives }),
    ...(flags.mtbf !== undefined && { failure: { mtbf_s: quantityOf(flags.mtbf, 's'), repair_s: quantityOf(flags.repair, 's') } }),
    ...autoscaleOf(served, flags),
  }
}

function objectivesOf({ objectives }: ServingScenario, { ttft, tpot }: SimulateServeFlags): ClusterRule['objectives'] {
  if (ttft === undefined && tpot === undefined) return objectives
  return {
    ttft_s: ttft === undefined ? (objectives?.ttft_s ?? Infinity) : quantityOf(ttft, 's'),
    tpot_s: tpot === undefined ? (objectives?.tpot_s ?? Infinity) : quantityOf(tpot, 's'),
  }
}

/** A flag overrides the spec. */
function autoscaleOf(served: ServingScenario, flags: SimulateServeFlags): Pick<ClusterRule, 'autoscale'> {
  if (flags.autoscale !== undefined) return { autoscale: scalingOf(served, flags) }
  return served.scaling && flags.replicas === undefined ? { autoscale: { every_s: LOOK_S, rule: served.scaling } } : {}
}

/** Tokens per second of one replica: as planned, or prompts and answers of its typical batch. */
function scalingOf(
  { traffic, plan, base, coldStart_s }: ServingScenario,
  flags: SimulateServeFlags,
): NonNullable<ClusterRule['autoscale']> {
  const speed = speedOf(base.replica)
  const batch = Math.min(32, base.replica.sequencesMost)
  const usual = 1 / (speed.prefill_s_per_token + (speed.step_s + batch * speed.step_s_per_sequence) / batch / 4)
  const tokensPerSecond = plan && traffic ? plan.prediction.replica_requests_per_s * (traffic.input_tokens + traffic.output_tokens) : usual
  return {
    every_s: LOOK_S,
    rule: {
      min: 1,
      max: wholeNumber('--autoscale', flags.autoscale ?? '1'),
      tokensPerSecond,
      covered: DEFAULT_SCALING.covered,
      coldStart_s: flags.coldStart === undefined ? coldStart_s : quantityOf(flags.coldStart, 's'),
      drain_s: DEFAULT_SCALING.drain_s,
      downAfter_s: DEFAULT_SCALING.down_after_s,
      idle_s: Infinity,
    },
  }
}

function arrivalsFromFlags({ traffic, prefix }: ServingScenario, flags: SimulateServeFlags): Arrivals {
  const trafficFlag = (flag: string, text: string | undefined, usual: number | undefined): number => {
    if (text !== undefined) return positiveFlag(flag, text)
    if (usual === undefined) throw new IronlawError('IL_USAGE', { problem: `give ${flag}, a trace or a serving spec`, command: COMMAND })
    return usual
  }
  const arrivals = drawnArrivals({
    requests_per_s: trafficFlag('--rate', flags.rate, traffic?.requests_per_s),
    burstiness: positiveFlag('--burstiness', flags.burstiness),
    prompt: logNormalLength(trafficFlag('--input', flags.input, traffic?.input_tokens), LENGTH_VARIATION),
    output: logNormalLength(trafficFlag('--output', flags.output, traffic?.output_tokens), LENGTH_VARIATION),
    count: wholeNumber('--requests', flags.requests),
    seed: wholeNumber('--seed', flags.seed),
  })
  return prefix?.of(arrivals) ?? arrivals
}

function positiveFlag(flag: string, text: string): number {
  const value = quantityOf(text, '1')
  if (value <= 0) throw new IronlawError('IL_QUANTITY', { name: flag, reason: `"${text}" must be more than zero` })
  return value
}
