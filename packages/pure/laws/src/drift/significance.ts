import { count, law, one, or, real } from '../law.ts'
import { vol2 } from '../sources.ts'

// The published tables round the limit to two decimals: 1.22 at 10 %, 1.36 at 5 %, 1.63 at 1 % (sqrt(ln(2 / alpha) / 2) is 1.358 at 5 %).
const tableFactor = or('1', 1.36)

export const ksCritical = law({
  id: 'drift/ks-critical',
  name: 'Kolmogorov-Smirnov limit against a known distribution',
  decides: 'whether a sample still follows its reference',
  is: 'coefficient / sqrt(samples)',
  source: 'F. J. Massey, The Kolmogorov-Smirnov Test for Goodness of Fit, JASA 46(253), 1951',
  validity: 'one continuous feature, more than about 35 samples, a reference that was not itself estimated from a sample',
  holds: ({ samples }) => samples > 35,
  inputs: { samples: count, statistic: one('1', { most: 1 }), coefficient: tableFactor },
  output: 'critical',
  unit: '1',
  of: ({ samples, coefficient = 1.36 }) => coefficient / Math.sqrt(samples),
  also: { ratio: { unit: '1', is: 'statistic / critical', of: ({ statistic }, critical) => statistic / critical } },
})

export const ksCriticalTwoSample = law({
  id: 'drift/ks-critical-two-sample',
  name: 'Kolmogorov-Smirnov limit between two samples',
  decides: 'whether serving data differ from training data by more than chance',
  is: 'coefficient * sqrt((samplesA + samplesB) / (samplesA * samplesB))',
  source: 'N. Smirnov, Table for Estimating the Goodness of Fit of Empirical Distributions, Annals of Mathematical Statistics 19(2), 1948',
  validity: 'one continuous feature, both samples large; with very many samples every harmless shift becomes significant',
  holds: ({ samplesA, samplesB }) => samplesA > 35 && samplesB > 35,
  inputs: { samplesA: count, samplesB: count, coefficient: tableFactor },
  output: 'critical',
  unit: '1',
  of: ({ samplesA, samplesB, coefficient = 1.36 }) => coefficient * Math.sqrt((samplesA + samplesB) / (samplesA * samplesB)),
})

export const meanShift = law({
  id: 'drift/mean-shift-z',
  name: 'Shift of a mean in standard errors',
  decides: 'whether a moved mean is drift or noise',
  is: 'abs(currentMean - baselineMean) / (std / sqrt(samples))',
  source: `${vol2.robustAI}; the z-test of a mean`,
  validity: 'independent samples, enough of them for a normal mean, baseline known far better than the current mean',
  holds: ({ samples }) => samples >= 30,
  inputs: { baselineMean: real, currentMean: real, std: one('1'), samples: count },
  output: 'z',
  unit: '1',
  of: ({ baselineMean, currentMean, std, samples }) => Math.abs(currentMean - baselineMean) / (std / Math.sqrt(samples)),
  also: { standardError: { unit: '1', is: 'std / sqrt(samples)', of: ({ std, samples }) => std / Math.sqrt(samples) } },
})
