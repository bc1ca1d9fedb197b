// The lineage of an artifact as a picture: boxes that are links, from what it came from to what came of it.

import type { ReactNode } from 'react'
import { artifactHref, deploymentHref, keepProject, runHref } from '../places.ts'
import { type Lineage, type LineageNode } from './lineage-layout.ts'

const WIDTH = 168
const HEIGHT = 46
const GAP_X = 56
const GAP_Y = 16
const MARGIN = 2
/** Letters that fit into a box. */
const MOST_LETTERS = 22

const left = ({ column }: LineageNode): number => MARGIN + column * (WIDTH + GAP_X)
const top = ({ row }: LineageNode): number => MARGIN + row * (HEIGHT + GAP_Y)
const shortened = (words: string): string => (words.length > MOST_LETTERS ? `${words.slice(0, MOST_LETTERS - 1)}…` : words)

type LineageGraphProps = { readonly lineage: Lineage; readonly centre: string; readonly project: string }

export function LineageGraph({ lineage, centre, project }: LineageGraphProps): ReactNode {
  const { nodes, edges, columns, rows } = lineage
  const place = new Map(nodes.map((node) => [node.id, node]))
  const width = 2 * MARGIN + columns * (WIDTH + GAP_X) - GAP_X
  const height = 2 * MARGIN + rows * (HEIGHT + GAP_Y) - GAP_Y
  return (
    <div className="lineage">
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="group" aria-label="Lineage">
        {edges.map(({ from, to }) => {
          const [start, end] = [place.get(from), place.get(to)]
          return start && end && <path key={`${from} ${to}`} className="edge" d={curve(start, end)} />
        })}
        {nodes.map((node) => (
          <NodeBox key={node.id} node={node} isCentre={node.id === centre} project={project} />
        ))}
      </svg>
    </div>
  )
}

function curve(from: LineageNode, to: LineageNode): string {
  const [x1, y1] = [left(from) + WIDTH, top(from) + HEIGHT / 2]
  const [x2, y2] = [left(to), top(to) + HEIGHT / 2]
  const bend = Math.max(GAP_X / 2, (x2 - x1) / 2)
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
}

function hrefOf({ id, kind, title }: LineageNode, project: string): string {
  switch (kind) {
    case 'run':
      return runHref(id)
    case 'deployment':
      return deploymentHref(title)
    case 'artifact':
      return artifactHref(project, id)
  }
}

type NodeBoxProps = { readonly node: LineageNode; readonly isCentre: boolean; readonly project: string }

function NodeBox({ node, isCentre, project }: NodeBoxProps): ReactNode {
  const { kind, title, about } = node
  const [x, y] = [left(node), top(node)]
  return (
    <a href={keepProject(hrefOf(node, project))} aria-current={isCentre ? 'true' : undefined}>
      <title>{`${title}: ${about}`}</title>
      <rect
        className={`box ${kind}${isCentre ? ' centre' : ''}`}
        x={x}
        y={y}
        width={WIDTH}
        height={HEIGHT}
        rx={kind === 'run' ? HEIGHT / 2 : kind === 'deployment' ? 0 : 6}
      />
      <text x={x + WIDTH / 2} y={y + 20}>
        {shortened(title)}
      </text>
      <text className="quiet" x={x + WIDTH / 2} y={y + 36}>
        {shortened(about)}
      </text>
    </a>
  )
}
