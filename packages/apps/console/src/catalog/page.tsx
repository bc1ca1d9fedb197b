// The catalog: every figure with its source, accelerators in one chart, any two entries side by side.

import { builtInCatalog, comparisonRows, type Entry, figures, type Kind, KIND_NAMES, SINGULAR } from '@ironlaw/catalog'
import { show } from '@ironlaw/units'
import { type ReactNode, useMemo } from 'react'
import { oneOf, text } from '../address.ts'
import { Card, Empty } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Select } from '../ui/fields.tsx'
import { useAddress } from '../use-address.ts'
import { Accelerators } from './accelerators.tsx'

const CATALOG = {
  kind: oneOf(['accelerators', 'links', 'fabrics', 'topologies', 'nodes', 'storage', 'failures', 'prices', 'grids']),
  id: text(''),
  against: text(''),
  search: text(''),
}

export function CatalogPage(): ReactNode {
  const [{ kind, id, against, search }, change] = useAddress('catalog', CATALOG)
  const all = entriesOf(kind)
  const listed = all.filter((entry) => [entry.id, entry.name, ...entry.aliases].join(' ').toLowerCase().includes(search.toLowerCase()))
  const entry = all.find((each) => each.id === id) ?? (kind === 'accelerators' ? all.find((each) => each.id === 'h100-sxm') : all[0])
  const other = all.find((each) => each.id === against)
  return (
    <div className="browser">
      <nav className="browser-list" aria-label="Catalog">
        <h1>Catalog</h1>
        <Select
          label="Kind"
          value={kind}
          options={KIND_NAMES.filter((name) => builtInCatalog[name].size > 0).map((name) => ({
            id: name,
            name: `${name} (${builtInCatalog[name].size})`,
          }))}
          onChange={(next) => change({ kind: CATALOG.kind.read(next) ?? 'accelerators', id: '', against: '', search: '' })}
        />
        <input
          type="search"
          aria-label={`Search ${kind}`}
          placeholder="Search"
          value={search}
          onChange={({ target }) => change({ search: target.value })}
        />
        {listed.length === 0 && <Empty>No entry matches.</Empty>}
        <ul>
          {listed.map((each) => (
            <li key={each.id}>
              <button
                type="button"
                className={each.id === entry?.id ? 'entry chosen' : 'entry'}
                aria-current={each.id === entry?.id ? 'true' : undefined}
                onClick={() => change({ id: each.id })}
              >
                {each.name}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <div className="browser-view">
        {kind === 'accelerators' && <Accelerators chosen={[entry?.id, other?.id]} onPick={(picked) => change({ id: picked })} />}
        {entry && <Figures entry={entry} other={other} all={all} onAgainst={(next) => change({ against: next })} />}
      </div>
    </div>
  )
}

const entriesOf = (kind: Kind): readonly Entry[] => [...builtInCatalog[kind].values()]

type FiguresProps = {
  readonly entry: Entry
  readonly other: Entry | undefined
  readonly all: readonly Entry[]
  readonly onAgainst: (id: string) => void
}

function Figures({ entry, other, all, onAgainst }: FiguresProps): ReactNode {
  const options = [{ id: '', name: 'nothing' }, ...all.filter(({ id }) => id !== entry.id).map(({ id, name }) => ({ id, name }))]
  return (
    <Card
      title={entry.name}
      wide
      about={`${SINGULAR[entry.kind]} ${entry.id}${entry.aliases.length > 0 ? `, also ${entry.aliases.join(', ')}` : ''}`}
    >
      <div className="against">
        <Select label="Compare with" value={other?.id ?? ''} options={options} onChange={onAgainst} />
      </div>
      {other ? <ComparedEntries entry={entry} other={other} /> : <Sources entry={entry} />}
    </Card>
  )
}

const words = (path: string): string =>
  path
    .replaceAll('.', ' › ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()

type Figure = ReturnType<typeof figures>[number]

const FIGURES: readonly Column<Figure>[] = [
  { name: 'Figure', value: ({ path }) => words(path) },
  {
    name: 'Value',
    isNumber: true,
    isSortable: false,
    value: ({ known }) => show(known.value, known.unit),
    cell: ({ known }) => <strong>{show(known.value, known.unit)}</strong>,
  },
  {
    name: 'Source',
    className: 'wraps quiet',
    value: ({ known, note }) =>
      `${known.by.kind === 'source' ? `${known.by.ref}, ${known.by.asOf}` : known.by.kind}${note === undefined ? '' : `; ${note}`}`,
  },
]

const Sources = ({ entry }: { readonly entry: Entry }): ReactNode => (
  <DataTable name="figures" label="Figures" columns={FIGURES} rows={figures(entry)} keyOf={({ path }) => path} />
)

type Comparison = ReturnType<typeof comparisonRows>[number]

function ComparedEntries({ entry, other }: { readonly entry: Entry; readonly other: Entry }): ReactNode {
  const rows = comparisonRows(entry, other)
  const most = Math.max(...rows.map(({ ratio = 1 }) => Math.abs(Math.log2(ratio))), 1)
  const columns = useMemo(
    (): readonly Column<Comparison>[] => [
      { name: 'Figure', value: ({ path }) => words(path) },
      { name: entry.name, isNumber: true, isSortable: false, value: ({ left }) => left && show(left.value, left.unit) },
      { name: other.name, isNumber: true, isSortable: false, value: ({ right }) => right && show(right.value, right.unit) },
      { name: 'Times', value: ({ ratio }) => ratio, cell: ({ ratio }) => ratio !== undefined && <Ratio ratio={ratio} most={most} /> },
    ],
    [entry, other, most],
  )
  return <DataTable name="figures" label="Figures" columns={columns} rows={rows} keyOf={({ path }) => path} />
}

/** `most` is the longest bar, in powers of two. */
const Ratio = ({ ratio, most }: { readonly ratio: number; readonly most: number }): ReactNode => {
  const half = (50 * Math.log2(ratio)) / most
  return (
    <span className="ratio">
      <span className="tornado-bars">
        <i className={ratio < 1 ? 'waiting' : 'work'} style={{ left: `${50 + Math.min(0, half)}%`, width: `${Math.abs(half)}%` }} />
      </span>
      {ratio.toFixed(2)} ×
    </span>
  )
}
