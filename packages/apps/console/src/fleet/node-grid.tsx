// Every node as a cell, filled by the share of its slots in use. It is one tab stop with arrow keys inside, so that keyboard users do not
// have to tab through a thousand nodes.

import type { NodeView } from '@ironlaw/contracts/api'
import { type KeyboardEvent, memo, type ReactNode, useRef } from 'react'

export type NodeGridProps = { readonly nodes: readonly NodeView[]; readonly chosen: string; readonly onPick: (name: string) => void }

/** Cells shrink with their number: a thousand nodes fit a screen. */
const SIZES = [
  { most: 40, cell_px: 92, gap_px: 6, shape: 1.9, named: true },
  { most: 260, cell_px: 30, gap_px: 4, shape: 1, named: false },
  { most: 1500, cell_px: 18, gap_px: 3, shape: 1, named: false },
  { most: Infinity, cell_px: 10, gap_px: 2, shape: 1, named: false },
] as const

export const NodeGrid = memo(({ nodes, chosen, onPick }: NodeGridProps): ReactNode => {
  const box = useRef<HTMLDivElement>(null)
  const { cell_px, gap_px, shape, named } = SIZES.find(({ most }) => nodes.length <= most) ?? SIZES[3]
  const handleKey = (event: KeyboardEvent): void => {
    const columns = box.current ? getComputedStyle(box.current).gridTemplateColumns.split(' ').length : 1
    const at = nodes.findIndex(({ name }) => name === chosen)
    const to: Readonly<Record<string, number>> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      ArrowDown: at + columns,
      ArrowUp: at - columns,
      Home: 0,
      End: nodes.length - 1,
    }
    const next = to[event.key]
    if (next === undefined) return
    event.preventDefault()
    const node = nodes[Math.max(0, Math.min(nodes.length - 1, next))]
    if (node) onPick(node.name)
  }
  return (
    <div
      ref={box}
      className="nodes"
      role="listbox"
      aria-label={`${nodes.length} nodes; arrow keys move`}
      aria-activedescendant={nodes.some(({ name }) => name === chosen) ? cellId(chosen) : undefined}
      tabIndex={0}
      style={{ '--cell': `${cell_px}px`, '--narrow': named ? '100%' : '3.1cqi', '--gap': `${gap_px}px`, '--shape': shape }}
      onKeyDown={handleKey}
    >
      {nodes.map((node) => (
        <div
          key={node.name}
          id={cellId(node.name)}
          role="option"
          aria-selected={node.name === chosen}
          aria-label={nodeText(node)}
          title={nodeText(node)}
          className={`node ${node.state}${node.name === chosen ? ' chosen' : ''}${named ? ' named' : ''}`}
          style={{ '--used': `${usedPercent(node)}%` }}
          onClick={() => onPick(node.name)}
        >
          {named && <span className="node-name">{node.name}</span>}
        </div>
      ))}
    </div>
  )
})

const cellId = (name: string): string => `node-${name}`

const usedPercent = ({ slots, free, state }: NodeView): number =>
  state === 'busy' || state === 'unresponsive' ? Math.round((100 * (slots - free)) / Math.max(1, slots)) : 0

const nodeText = ({ name, state, slots, free, devices = [], reason }: NodeView): string =>
  `${name}: ${state}${state === 'busy' || state === 'idle' ? `, ${slots - free} of ${slots} slots taken` : ''}${devices.map((each) => `, ${each.free} of ${each.total} ${each.kind} free`).join('')}${reason === undefined ? '' : `, ${reason}`}`
