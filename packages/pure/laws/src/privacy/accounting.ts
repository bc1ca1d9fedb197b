// Privacy accounting of DP-SGD over Renyi divergences. Only the exact accountant may gate a release: the linear
// approximation is for a first look, and at small noise or after few epochs it reports less than half of the epsilon that was really spent.

import { count, law, one, share } from '../law.ts'
import { MIRONOV } from '../sources.ts'

const HIGHEST_ORDER = 256

const runInputs = { records: count, batch: count, epochs: one('1'), noiseMultiplier: one('1'), delta: share }

type Run = {
  readonly records: number
  readonly batch: number
  readonly epochs: number
  readonly noiseMultiplier: number
  readonly delta: number
}

/** Where the linear form stays within about a tenth of the exact accountant; measured over 0.0005 to 0.1 of the records per batch. */
const isNearlyLinear = ({ records, batch, noiseMultiplier }: Run, order: number): boolean =>
  batch <= 0.1 * records && noiseMultiplier >= 2 && order <= 0.5 * noiseMultiplier ** 2 * Math.log(records / (batch * noiseMultiplier))

export const rdpApprox = law({
  id: 'privacy/rdp-approx',
  name: 'Privacy spent by DP-SGD, linear approximation at one order',
  decides: 'whether a noise and batch setting is worth the exact accountant',
  is: 'c * order + ln(1 / delta) / (order - 1) where c = epochs * batch / records / (2 * noiseMultiplier^2)',
  source: `${MIRONOV}; subsampling approximated by the square of the sampling rate`,
  validity:
    'batches up to a tenth of the records, noise multiplier from 2, low order: about a tenth too low; elsewhere far lower, so never a gate',
  holds: (input) => isNearlyLinear(input, input.order),
  inputs: { ...runInputs, order: count },
  output: 'epsilon',
  unit: '1',
  of: (input) => rdpPerOrder(input) * input.order + Math.log(1 / input.delta) / (input.order - 1),
  also: {
    steps: { unit: '1', is: 'epochs * records / batch', of: ({ records, batch, epochs }) => (epochs * records) / batch },
    rdpPerOrder: { unit: '1', is: 'epochs * batch / records / (2 * noiseMultiplier^2)', of: rdpPerOrder },
  },
})

export const rdpApproxOptimum = law({
  id: 'privacy/rdp-approx-optimum',
  name: 'Privacy spent by DP-SGD, linear approximation at its best order',
  decides: 'which noise, batch and number of epochs to try for a privacy target',
  is: 'c + 2 * sqrt(c * ln(1 / delta)) where c = epochs * batch / records / (2 * noiseMultiplier^2)',
  source: `${MIRONOV}; subsampling approximated by the square of the sampling rate`,
  validity:
    'batches up to a tenth of the records, noise multiplier from 2, low order: about a tenth too low; elsewhere far lower, so never a gate',
  holds: (input) => isNearlyLinear(input, bestOrder(input)),
  inputs: runInputs,
  output: 'epsilon',
  unit: '1',
  of: (input) => {
    const c = rdpPerOrder(input)
    return c + 2 * Math.sqrt(c * Math.log(1 / input.delta))
  },
  also: {
    order: {
      unit: '1',
      is: '1 + sqrt(ln(1 / delta) / (epochs * batch / records / (2 * noiseMultiplier^2)))',
      of: bestOrder,
    },
  },
})

export const rdpExact = law({
  id: 'privacy/rdp-exact',
  name: 'Privacy spent by DP-SGD',
  decides: 'the epsilon that may be reported for a private training run',
  is: 'text: the least over whole orders a = 2 to 256 of steps * R(a) + ln(1 / delta) / (a - 1), R(a) = ln(sum over j of C(a, j) (1 - q)^(a - j) q^j exp((j^2 - j) / (2 noiseMultiplier^2))) / (a - 1), q = batch / records',
  source: 'I. Mironov, K. Talwar, L. Zhang, Renyi Differential Privacy of the Sampled Gaussian Mechanism, 2019',
  validity:
    'Poisson sampling, whole orders up to 256; tighter conversions report somewhat less; add-or-remove adjacency, for which one clip norm is the sensitivity of a sum: privacy/clip-sensitivity is replace-one and twice that',
  holds: ({ records, batch }) => batch <= records,
  inputs: runInputs,
  output: 'epsilon',
  unit: '1',
  of: (input) => epsilonAt(input, bestWholeOrder(input)),
  also: { order: { unit: '1', is: 'text: the order at which the least is reached', of: bestWholeOrder } },
})

function rdpPerOrder({ records, batch, epochs, noiseMultiplier }: Run): number {
  return (epochs * batch) / records / (2 * noiseMultiplier ** 2)
}

function bestOrder(input: Run): number {
  return 1 + Math.sqrt(Math.log(1 / input.delta) / rdpPerOrder(input))
}

/** Epsilon falls and then rises with the order, but the search is short enough to need no proof of that. */
function bestWholeOrder(input: Run): number {
  let best = 2
  let least = Infinity
  for (let order = 2; order <= HIGHEST_ORDER; order += 1) {
    const epsilon = epsilonAt(input, order)
    if (epsilon < least) {
      least = epsilon
      best = order
    }
  }
  return best
}

function epsilonAt({ records, batch, epochs, noiseMultiplier, delta }: Run, order: number): number {
  const rate = batch / records
  return ((epochs / rate) * logMoment({ order, rate, noiseMultiplier }) + Math.log(1 / delta)) / (order - 1)
}

type Moment = { readonly order: number; readonly rate: number; readonly noiseMultiplier: number }

/** Logarithm of the moment, summed in logarithms: the last term alone overflows a double from order 39 at unit noise. */
function logMoment({ order, rate, noiseMultiplier }: Moment): number {
  let logBinomial = 0
  let total = order * Math.log1p(-rate)
  for (let j = 1; j <= order; j += 1) {
    logBinomial += Math.log((order - j + 1) / j)
    const kept = order === j ? 0 : (order - j) * Math.log1p(-rate)
    const term = logBinomial + kept + j * Math.log(rate) + (j * j - j) / (2 * noiseMultiplier ** 2)
    total = logSum(total, term)
  }
  return total
}

/** ln(e^a + e^b); sampling every record in every batch makes all terms but the last minus infinity. */
const logSum = (a: number, b: number): number =>
  a === -Infinity ? b : b === -Infinity ? a : Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)))
