import { HOUR } from '@ironlaw/units'
import { law, one } from '../law.ts'

const GREEN_GRID = 'The Green Grid, Water usage effectiveness (WUE): a Green Grid data center sustainability metric, white paper 35, 2011'

export const waterUsage = law({
  id: 'water/usage',
  name: 'Water of a run',
  decides: 'what a run takes from the local water supply',
  is: 'energy * wue',
  source: GREEN_GRID,
  validity: 'energy of the machines, not of the facility; water used on site, not by the power plant',
  inputs: { energy: one('J'), wue: one('L/J') },
  output: 'water',
  unit: 'L',
  of: ({ energy, wue }) => energy * wue,
})

export const waterRate = law({
  id: 'water/rate',
  name: 'Water of a site per hour',
  decides: 'whether a water permit covers a site',
  is: 'itPower * wue * hour',
  source: GREEN_GRID,
  validity: 'power of the machines, not of the facility; effectiveness of the season',
  inputs: { itPower: one('W'), wue: one('L/J') },
  output: 'waterPerHour',
  unit: 'L',
  of: ({ itPower, wue }) => itPower * wue * HOUR,
})
