import { count, law, one } from '../law.ts'
import { vol2 } from '../sources.ts'
import { tolerantCeil } from '../whole.ts'

export const platformReturn = law({
  id: 'cost/platform-roi',
  name: 'Return on a shared platform',
  decides: 'how many models it takes before a platform pays',
  is: 'models * hoursSaved * hourlyPrice / platformCost',
  source: vol2.mlOperationsAtScale,
  validity: 'hours saved and cost of the platform over the same time; the cost of the platform nearly fixed',
  inputs: { models: count, hoursSaved: one('s'), hourlyPrice: one('USD/s'), platformCost: one('USD') },
  output: 'roi',
  unit: '1',
  of: ({ models, hoursSaved, hourlyPrice, platformCost }) => (models * hoursSaved * hourlyPrice) / platformCost,
  also: {
    value: {
      unit: 'USD',
      is: 'models * hoursSaved * hourlyPrice',
      of: ({ models, hoursSaved, hourlyPrice }) => models * hoursSaved * hourlyPrice,
    },
    breakEvenModels: {
      unit: '1',
      is: 'ceil(platformCost / (hoursSaved * hourlyPrice))',
      of: ({ hoursSaved, hourlyPrice, platformCost }) => tolerantCeil(platformCost / (hoursSaved * hourlyPrice)),
    },
    net: {
      unit: 'USD',
      is: 'value - platformCost',
      of: ({ models, hoursSaved, hourlyPrice, platformCost }) => models * hoursSaved * hourlyPrice - platformCost,
    },
  },
})

export const platformSaving = law({
  id: 'cost/platform-saving',
  name: 'Yearly saving of a platform',
  decides: 'whether to build a platform, its cost spread over years',
  is: 'before - after',
  source: vol2.mlOperationsAtScale,
  validity: 'hours per model and year; straight-line cost of the platform',
  inputs: {
    models: count,
    hoursBefore: one('s'),
    hoursAfter: one('s'),
    hourlyPrice: one('USD/s'),
    platformCost: one('USD'),
    years: one('1'),
  },
  output: 'saving',
  unit: 'USD',
  of: ({ models, hoursBefore, hoursAfter, hourlyPrice, platformCost, years }) =>
    models * (hoursBefore - hoursAfter) * hourlyPrice - platformCost / years,
  also: {
    before: {
      unit: 'USD',
      is: 'models * hoursBefore * hourlyPrice',
      of: ({ models, hoursBefore, hourlyPrice }) => models * hoursBefore * hourlyPrice,
    },
    after: {
      unit: 'USD',
      is: 'models * hoursAfter * hourlyPrice + platformCost / years',
      of: ({ models, hoursAfter, hourlyPrice, platformCost, years }) => models * hoursAfter * hourlyPrice + platformCost / years,
    },
    reduction: {
      unit: '1',
      is: 'saving / before',
      of: ({ models, hoursBefore, hourlyPrice }, saving) => saving / (models * hoursBefore * hourlyPrice),
    },
  },
})

export const automation = law({
  id: 'cost/automation',
  name: 'Saving of automating a repeated task',
  decides: 'whether to automate toil',
  is: 'manual - automated',
  source: vol2.mlOperationsAtScale,
  validity: 'the same hours every period; setup once',
  inputs: {
    periods: one('1'),
    manualHours: one('s'),
    automatedHours: one('s'),
    setupHours: one('s'),
    hourlyPrice: one('USD/s'),
  },
  output: 'saving',
  unit: 'USD',
  of: ({ periods, manualHours, automatedHours, setupHours, hourlyPrice }) =>
    (periods * (manualHours - automatedHours) - setupHours) * hourlyPrice,
  also: {
    manual: {
      unit: 'USD',
      is: 'periods * manualHours * hourlyPrice',
      of: ({ periods, manualHours, hourlyPrice }) => periods * manualHours * hourlyPrice,
    },
    automated: {
      unit: 'USD',
      is: '(setupHours + periods * automatedHours) * hourlyPrice',
      of: ({ periods, automatedHours, setupHours, hourlyPrice }) => (setupHours + periods * automatedHours) * hourlyPrice,
    },
    ratio: {
      unit: '1',
      is: 'manual / automated',
      of: ({ periods, manualHours, automatedHours, setupHours }) => (periods * manualHours) / (setupHours + periods * automatedHours),
    },
  },
})
