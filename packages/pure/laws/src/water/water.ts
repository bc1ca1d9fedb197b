import { law, one } from '../law.ts'

const GREEN_GRID = 'The Green Grid, Water usage effectiveness (WUE): a Green Grid data center sustainability metric, white paper 35, 2011'

export const waterUsage = law({
  id: 'water/usage',
  name: 'Water of a run or a site',
  decides: 'what a run takes from the local water supply, and whether a permit covers a site',
  is: 'energy * wue',
  source: GREEN_GRID,
  validity: 'energy of the machines, not of the facility; water used on site, not by the power plant',
  inputs: { energy: one('J'), wue: one('L/J') },
  output: 'water',
  unit: 'L',
  of: ({ energy, wue }) => energy * wue,
})
