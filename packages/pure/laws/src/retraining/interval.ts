// When to retrain: staleness costs more every day, retraining costs once. Costs and rates are per day, the interval a time.

import { DAY } from '@ironlaw/units'
import { law, one, or, share } from '../law.ts'
import { vol1 } from '../sources.ts'

const rate = one('1')
const decayInputs = {
  requestsPerDay: rate,
  valuePerAccuracy: one('USD'),
  initialAccuracy: share,
  decayPerDay: rate,
  retrainCost: one('USD'),
}

export const optimalInterval = law({
  id: 'retraining/optimal-interval',
  name: 'Best retraining interval, first order',
  decides: 'how often to retrain',
  is: 'sqrt(2 * retrainCost / (requestsPerDay * valuePerAccuracy * initialAccuracy * decayPerDay)) * day',
  source: vol1.mlOperations,
  validity: 'steady exponential decay that loses at most a fifth of the accuracy within the interval; no sudden shifts',
  holds: ({ requestsPerDay, valuePerAccuracy, initialAccuracy, decayPerDay, retrainCost }) =>
    Math.sqrt((2 * retrainCost * decayPerDay) / (requestsPerDay * valuePerAccuracy * initialAccuracy)) <= 0.2,
  inputs: decayInputs,
  output: 'interval',
  unit: 's',
  of: ({ requestsPerDay, valuePerAccuracy, initialAccuracy, decayPerDay, retrainCost }) =>
    Math.sqrt((2 * retrainCost) / (requestsPerDay * valuePerAccuracy * initialAccuracy * decayPerDay)) * DAY,
})

export const optimalIntervalExact = law({
  id: 'retraining/optimal-interval-exact',
  name: 'Best retraining interval',
  decides: 'how often to retrain, and what drift then costs per day',
  is: 'text: the interval T at which 1 - (1 + x) exp(-x) = retrainCost * decayPerDay / (requestsPerDay * valuePerAccuracy * initialAccuracy), x = decayPerDay * T in days',
  source: `${vol1.mlOperations}; minimum of staleness and retraining cost per day`,
  validity:
    'steady exponential decay and a loss in proportion to the accuracy lost; if retraining costs more than it can ever win back, never',
  holds: ({ requestsPerDay, valuePerAccuracy, initialAccuracy, decayPerDay, retrainCost }) =>
    retrainCost * decayPerDay < requestsPerDay * valuePerAccuracy * initialAccuracy,
  inputs: decayInputs,
  output: 'interval',
  unit: 's',
  of: ({ requestsPerDay, valuePerAccuracy, initialAccuracy, decayPerDay, retrainCost }) =>
    (decayRoot((retrainCost * decayPerDay) / (requestsPerDay * valuePerAccuracy * initialAccuracy)) / decayPerDay) * DAY,
  also: {
    // At the minimum the marginal cost of one more day equals the average, which leaves this short form.
    costPerDay: {
      unit: 'USD',
      is: 'requestsPerDay * valuePerAccuracy * initialAccuracy * (1 - exp(-decayPerDay * interval / day))',
      of: ({ requestsPerDay, valuePerAccuracy, initialAccuracy, decayPerDay }, interval) =>
        requestsPerDay * valuePerAccuracy * initialAccuracy * (1 - Math.exp((-decayPerDay * interval) / DAY)),
    },
  },
})

export const intervalSensitivity = law({
  id: 'retraining/interval-sensitivity',
  name: 'How the retraining interval moves',
  decides: 'how a schedule changes when cost, traffic or decay change',
  is: 'sqrt(costRatio / (volumeRatio * decayRatio))',
  source: vol1.mlOperations,
  validity: 'wherever the first-order interval holds, before and after the change',
  inputs: { costRatio: or('1', 1), volumeRatio: or('1', 1), decayRatio: or('1', 1) },
  output: 'ratio',
  unit: '1',
  of: ({ costRatio = 1, volumeRatio = 1, decayRatio = 1 }) => Math.sqrt(costRatio / (volumeRatio * decayRatio)),
})

/** Solves 1 - (1 + x) exp(-x) = loss by Newton's method from the first-order root, which lies below the solution. */
function decayRoot(loss: number): number {
  if (loss >= 1) return Infinity
  let x = Math.sqrt(2 * loss)
  for (let round = 0; round < 60 && x > 0; round += 1) {
    const step = (loss - 1 + (1 + x) * Math.exp(-x)) / (x * Math.exp(-x))
    x += step
    if (Math.abs(step) < 1e-12 * x) break
  }
  return x
}
