// A machine-learning bill of materials, CycloneDX 1.6: the model with its card, its datasets and files by digest, the run that made it.

import { canonicalJson, type Json, sha256 } from '@ironlaw/contracts'
import type { VersionFact } from '@ironlaw/contracts/model-registry'
import type { Card, CardFigure } from './card.ts'
import { scoreText } from './card-blocks.ts'
import { utcTime } from './utc-date.ts'

type Fields = { readonly [field: string]: Json | undefined }

const JOULES_PER_KWH = 3.6e6

export function cycloneDxCard(card: Card): string {
  const timestamp = utcTime(card.at)
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      ...(timestamp !== undefined && { timestamp }),
      tools: { components: [{ type: 'application', name: 'ironlaw' }] },
      component: modelComponent(card),
    },
    components: card.datasets.map(datasetComponent),
    dependencies: [{ ref: modelReference(card), dependsOn: card.datasets.map(({ id }) => datasetReference(id)) }],
    ...formulationOf(card),
  } satisfies Fields
  const { bomFormat, specVersion, ...rest } = bom
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat,
    specVersion,
    serialNumber: serialOf(bom),
    ...rest,
  }
  return `${JSON.stringify(document, undefined, 2)}\n`
}

/** The same card is the same document. Shaped as a UUID of version 8. */
function serialOf(bom: Json): string {
  const digest = sha256(canonicalJson(bom))
  return `urn:uuid:${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`
}

const modelReference = ({ id }: Card): string => `model:${id}`
const datasetReference = (id: string): string => `dataset:${id}`

const modelComponent = (card: Card): Fields => ({
  type: 'machine-learning-model',
  'bom-ref': modelReference(card),
  name: card.title,
  version: card.id,
  ...(card.facts.licence && { licenses: [{ license: { name: card.facts.licence.text } }] }),
  ...(card.files.length > 0 && { components: card.files.map((file) => fileComponent(card, file)) }),
  modelCard: {
    ...(card.datasets.length > 0 && { modelParameters: { datasets: card.datasets.map(({ id }) => ({ ref: datasetReference(id) })) } }),
    ...(card.figures.length > 0 && { quantitativeAnalysis: { performanceMetrics: card.figures.map(performanceMetric) } }),
    considerations: considerationsOf(card),
  },
  properties: propertiesOf(card),
})

const fileComponent = (card: Card, { path, bytes, sha256: digest, weights }: Card['files'][number]): Fields => ({
  type: 'file',
  'bom-ref': `${modelReference(card)}:${path}`,
  name: path,
  hashes: [{ alg: 'SHA-256', content: digest }],
  properties: [property('bytes', String(bytes)), ...(weights === undefined ? [] : [property('weights', weights)])],
})

const datasetComponent = ({ id, names, bytes }: Card['datasets'][number]): Fields => ({
  type: 'data',
  'bom-ref': datasetReference(id),
  name: names[0] ?? id,
  version: id,
  data: [{ type: 'dataset', name: names[0] ?? id }],
  properties: [property('bytes', String(bytes))],
})

/** The slice of a metric is all that the format has room for, so it says the source too. */
const performanceMetric = ({ metric, value, low, high, slice, items, source }: CardFigure): Fields => ({
  type: metric,
  value: scoreText(value),
  slice: `${slice ? `${slice.name}: ${slice.value}` : 'all items'}; ${items} items; ${source}; 90 % interval`,
  confidenceInterval: { lowerBound: scoreText(low), upperBound: scoreText(high) },
})

function considerationsOf({ facts }: Card): Fields {
  const energy = facts.energy?.value
  const joules = typeof energy === 'object' && energy !== null && 'energy_j' in energy ? energy.energy_j : undefined
  return {
    ...(facts.intended_use && { useCases: [facts.intended_use.text] }),
    ...(facts.limitations && { technicalLimitations: [facts.limitations.text] }),
    ...(typeof joules === 'number' && {
      environmentalConsiderations: {
        energyConsumptions: [
          { activity: 'training', energyProviders: [], activityEnergyCost: { value: joules / JOULES_PER_KWH, unit: 'kWh' } },
        ],
      },
    }),
  }
}

const property = (name: string, value: string): Fields => ({ name: `ironlaw:${name}`, value })

/** Facts with where they come from, and what nobody stated. */
const propertiesOf = ({ state, facts, decisions, missing, leftOut }: Card): readonly Json[] => [
  property('state', state),
  ...Object.entries(facts).flatMap(([fact, { text, source }]) => [property(`fact:${fact}`, text), property(`from:${fact}`, source)]),
  ...decisions.map(({ number, answer, by, why }) => property(`decision:${number}`, `${answer} by ${by}: ${why}`)),
  ...leftOut.map((why) => property('left-out', why)),
  ...missing.map(({ fact, next }) => property(`missing:${fact}`, next)),
]

const HOW_IT_WAS_MADE = ['code', 'configuration', 'environment', 'plan', 'hardware'] as const satisfies readonly VersionFact[]

/** The run that made the model, from its datasets. */
function formulationOf(card: Card): Fields {
  const { run } = card.facts
  if (!run) return {}
  const reference = `run:${run.text}`
  const properties = HOW_IT_WAS_MADE.flatMap((fact) => {
    const known = card.facts[fact]
    return known ? [property(`fact:${fact}`, known.text)] : []
  })
  return {
    formulation: [
      {
        workflows: [
          {
            'bom-ref': reference,
            uid: run.text,
            name: 'training',
            taskTypes: ['build'],
            inputs: card.datasets.map(({ id }) => ({ resource: { ref: datasetReference(id) } })),
            outputs: [{ type: 'artifact', resource: { ref: modelReference(card) } }],
            properties,
          },
        ],
      },
    ],
  }
}
