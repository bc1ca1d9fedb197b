import { count, countOr, law, maybe, one, or, share } from '../law.ts'
import { vol2 } from '../sources.ts'
import { tolerantCeil } from '../whole.ts'

const FAT_TREE = 'M. Al-Fares, A. Loukissas, A. Vahdat, A Scalable, Commodity Data Center Network Architecture, SIGCOMM 2008'

// The book sometimes prints endpoints * linkBandwidth as bisection; that is injection, twice the bisection of a non-blocking fabric.
export const bisection = law({
  id: 'network/bisection',
  name: 'Bisection bandwidth of a fabric',
  decides: 'how fast one half of the cluster can talk to the other',
  is: 'endpoints / 2 * linkBandwidth / oversubscription',
  source: vol2.networkFabrics,
  validity: 'tree of switches with one oversubscription ratio; even load over the spine',
  inputs: { endpoints: count, linkBandwidth: one('B/s'), oversubscription: or('1', 1, { least: 1 }) },
  output: 'bisectionBandwidth',
  unit: 'B/s',
  of: ({ endpoints, linkBandwidth, oversubscription = 1 }) => ((endpoints / 2) * linkBandwidth) / oversubscription,
  also: {
    injectionBandwidth: { unit: 'B/s', is: 'endpoints * linkBandwidth', of: ({ endpoints, linkBandwidth }) => endpoints * linkBandwidth },
  },
})

export const oversubscriptionLoss = law({
  id: 'network/oversubscription-loss',
  name: 'Throughput lost to an oversubscribed fabric',
  decides: 'whether saving on the spine is a false economy',
  is: '1 - 1 / stepFactor',
  source: vol2.networkFabrics,
  validity: 'communication is not hidden and all of it crosses the oversubscribed tier',
  inputs: { communicationFraction: share, oversubscription: one('1', { least: 1 }), capital: maybe('USD') },
  output: 'wastedFraction',
  unit: '1',
  of: ({ communicationFraction, oversubscription }) => 1 - 1 / stepFactor({ communicationFraction, oversubscription }),
  also: {
    stepFactor: {
      unit: '1',
      is: '(1 - communicationFraction) + communicationFraction * oversubscription',
      of: stepFactor,
    },
    wastedCost: { unit: 'USD', is: 'capital * wastedFraction', of: ({ capital = Number.NaN }, wastedFraction) => capital * wastedFraction },
  },
})

type Crossing = { readonly communicationFraction: number; readonly oversubscription: number }

function stepFactor({ communicationFraction, oversubscription }: Crossing): number {
  return 1 - communicationFraction + communicationFraction * oversubscription
}

export const fatTree = law({
  id: 'network/fat-tree',
  name: 'Size of a full three-tier fat tree',
  decides: 'how many devices switches of one radix can connect without blocking',
  is: 'radix^3 / 4',
  source: FAT_TREE,
  validity: 'identical switches of even radix, non-blocking, every port used',
  holds: ({ radix }) => radix % 2 === 0,
  inputs: { radix: one('1', { least: 2 }) },
  output: 'hosts',
  unit: '1',
  of: ({ radix }) => radix ** 3 / 4,
  also: {
    hostsPerPod: { unit: '1', is: 'radix^2 / 4', of: ({ radix }) => radix ** 2 / 4 },
    twoTierHosts: { unit: '1', is: 'radix^2 / 2', of: ({ radix }) => radix ** 2 / 2 },
    switches: { unit: '1', is: '5 * radix^2 / 4', of: ({ radix }) => (5 * radix ** 2) / 4 },
  },
})

export const fatTreeSwitches = law({
  id: 'network/fat-tree-switches',
  name: 'Switches of a non-blocking three-tier fabric for a number of hosts',
  decides: 'how many switches to buy',
  is: 'ceil(5 * hosts / radix)',
  source: FAT_TREE,
  validity:
    'between radix^2 / 2 and radix^3 / 4 hosts, in proportion to a full tree; below, two tiers and 3 * hosts / radix switches suffice',
  holds: ({ hosts, radix }) => hosts > radix ** 2 / 2 && hosts <= radix ** 3 / 4,
  inputs: { hosts: count, radix: one('1', { least: 2 }) },
  output: 'switches',
  unit: '1',
  of: ({ hosts, radix }) => tolerantCeil((5 * hosts) / radix),
})

export const dragonfly = law({
  id: 'network/dragonfly',
  name: 'Size of a dragonfly network',
  decides: 'how many devices routers of one radix reach with three switch-to-switch hops',
  is: 'hostsPerRouter * routersPerGroup * (routersPerGroup * globalLinksPerRouter + 1)',
  source: 'J. Kim, W. J. Dally, S. Scott, D. Abts, Technology-Driven, Highly-Scalable Dragonfly Topology, ISCA 2008',
  validity: 'full mesh inside a group and one link between any two groups; balanced when routersPerGroup is twice either of the others',
  inputs: { hostsPerRouter: count, routersPerGroup: count, globalLinksPerRouter: count },
  output: 'hosts',
  unit: '1',
  of: ({ hostsPerRouter, routersPerGroup, globalLinksPerRouter }) =>
    hostsPerRouter * routersPerGroup * (routersPerGroup * globalLinksPerRouter + 1),
  also: {
    groups: {
      unit: '1',
      is: 'routersPerGroup * globalLinksPerRouter + 1',
      of: ({ routersPerGroup, globalLinksPerRouter }) => routersPerGroup * globalLinksPerRouter + 1,
    },
    radix: {
      unit: '1',
      is: 'hostsPerRouter + globalLinksPerRouter + routersPerGroup - 1',
      of: ({ hostsPerRouter, routersPerGroup, globalLinksPerRouter }) => hostsPerRouter + globalLinksPerRouter + routersPerGroup - 1,
    },
  },
})

export const fullMeshLinks = law({
  id: 'network/full-mesh-links',
  name: 'Links of a full mesh',
  decides: 'up to how many devices direct links stay practical before switches are needed',
  is: 'linksPerPair * devices * (devices - 1) / 2',
  source: vol2.computeInfrastructure,
  validity: 'every pair connected directly',
  inputs: { devices: count, linksPerPair: countOr(1) },
  output: 'links',
  unit: '1',
  of: ({ devices, linksPerPair = 1 }) => (linksPerPair * devices * (devices - 1)) / 2,
})

export const opticsSaving = law({
  id: 'network/optics-saving',
  name: 'Power saved by more efficient optics',
  decides: 'how many more accelerators the same power feed carries after a change of transceivers',
  is: 'switches * ports * (powerBefore - powerAfter)',
  source: vol2.networkFabrics,
  validity: 'every port lit; cooling that follows the power not counted',
  inputs: { ports: count, powerBefore: one('W'), powerAfter: one('W'), switches: count, devicePower: one('W') },
  output: 'totalSaved',
  unit: 'W',
  of: ({ ports, powerBefore, powerAfter, switches }) => switches * ports * (powerBefore - powerAfter),
  also: {
    perSwitchBefore: { unit: 'W', is: 'ports * powerBefore', of: ({ ports, powerBefore }) => ports * powerBefore },
    perSwitchAfter: { unit: 'W', is: 'ports * powerAfter', of: ({ ports, powerAfter }) => ports * powerAfter },
    totalBefore: {
      unit: 'W',
      is: 'switches * ports * powerBefore',
      of: ({ switches, ports, powerBefore }) => switches * ports * powerBefore,
    },
    extraDevices: { unit: '1', is: 'totalSaved / devicePower', of: ({ devicePower }, totalSaved) => totalSaved / devicePower },
  },
})
