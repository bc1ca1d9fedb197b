// The worked examples of the whole book: a separate entry point, because most callers need the laws and not their proof.

import ironLaw from './worked/iron-law.json' with { type: 'json' }
import roofline from './worked/roofline.json' with { type: 'json' }
import compute from './worked/compute.json' with { type: 'json' }
import memory from './worked/memory.json' with { type: 'json' }
import precision from './worked/precision.json' with { type: 'json' }
import parallelism from './worked/parallelism.json' with { type: 'json' }
import pipeline from './worked/pipeline.json' with { type: 'json' }
import collective from './worked/collective.json' with { type: 'json' }
import network from './worked/network.json' with { type: 'json' }
import storage from './worked/storage.json' with { type: 'json' }
import data from './worked/data.json' with { type: 'json' }
import scaling from './worked/scaling.json' with { type: 'json' }
import checkpoint from './worked/checkpoint.json' with { type: 'json' }
import reliability from './worked/reliability.json' with { type: 'json' }
import recovery from './worked/recovery.json' with { type: 'json' }
import orchestration from './worked/orchestration.json' with { type: 'json' }
import kvCache from './worked/kv-cache.json' with { type: 'json' }
import batching from './worked/batching.json' with { type: 'json' }
import decoding from './worked/decoding.json' with { type: 'json' }
import queueing from './worked/queueing.json' with { type: 'json' }
import latency from './worked/latency.json' with { type: 'json' }
import capacity from './worked/capacity.json' with { type: 'json' }
import routing from './worked/routing.json' with { type: 'json' }
import autoscaling from './worked/autoscaling.json' with { type: 'json' }
import coldStart from './worked/cold-start.json' with { type: 'json' }
import cost from './worked/cost.json' with { type: 'json' }
import energy from './worked/energy.json' with { type: 'json' }
import power from './worked/power.json' with { type: 'json' }
import carbon from './worked/carbon.json' with { type: 'json' }
import water from './worked/water.json' with { type: 'json' }
import edge from './worked/edge.json' with { type: 'json' }
import federated from './worked/federated.json' with { type: 'json' }
import compression from './worked/compression.json' with { type: 'json' }
import drift from './worked/drift.json' with { type: 'json' }
import retraining from './worked/retraining.json' with { type: 'json' }
import experiments from './worked/experiments.json' with { type: 'json' }
import monitoring from './worked/monitoring.json' with { type: 'json' }
import benchmark from './worked/benchmark.json' with { type: 'json' }
import fairness from './worked/fairness.json' with { type: 'json' }
import privacy from './worked/privacy.json' with { type: 'json' }
import robustness from './worked/robustness.json' with { type: 'json' }
import security from './worked/security.json' with { type: 'json' }
import leftOutByLaw from './worked/left-out.json' with { type: 'json' }
import type { OmittedExamples, WorkedExample } from './worked.ts'

// A JSON module widens each literal; the test of the book reads every example, so a wrong one cannot stay.
export const workedExamples = [
  ironLaw,
  roofline,
  compute,
  memory,
  precision,
  parallelism,
  pipeline,
  collective,
  network,
  storage,
  data,
  scaling,
  checkpoint,
  reliability,
  recovery,
  orchestration,
  kvCache,
  batching,
  decoding,
  queueing,
  latency,
  capacity,
  routing,
  autoscaling,
  coldStart,
  cost,
  energy,
  power,
  carbon,
  water,
  edge,
  federated,
  compression,
  drift,
  retraining,
  experiments,
  monitoring,
  benchmark,
  fairness,
  privacy,
  robustness,
  security,
].flat() as readonly WorkedExample[]

export const omittedExamples: OmittedExamples = leftOutByLaw
