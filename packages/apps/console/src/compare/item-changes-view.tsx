// Items that changed between two models, what was lost first: what was asked, what is right, what each said. A page at a time.

import type { ItemText } from '@ironlaw/contracts/evaluation-items'
import type { ItemChange } from '@ironlaw/policies/evaluation'
import { type ReactNode, useMemo } from 'react'
import { oneOf, wholeNumber } from '../address.ts'
import { type ArtifactPlace, useOnce } from '../datasets/artifact-files.ts'
import { Card, Empty } from '../ui/card.tsx'
import { Segments } from '../ui/fields.tsx'
import { FilterField, includesText, useFind } from '../ui/filter-field.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { useAddress } from '../use-address.ts'
import { readTexts, type Texts } from './evaluation-sides.ts'

const SHOWN = ['lost', 'won', 'same', 'all'] as const
const FIELDS = { changed: oneOf(SHOWN), at: wholeNumber(0) }

/** Texts are long: more on one page is not read. */
const PAGE = 20

type ItemChangesProps = {
  readonly changes: readonly ItemChange[]
  /** Of the first evaluation and the second. */
  readonly places: readonly ArtifactPlace[]
  readonly hasTexts: boolean
}

export function ItemChanges({ changes, places: [first, second], hasTexts }: ItemChangesProps): ReactNode {
  const [{ changed, at }, change] = useAddress('compare', FIELDS)
  const [find, setFind] = useFind('items')
  const left = useOnce(`texts ${first?.artifact}`, hasTexts && first ? () => readTexts(first) : undefined)
  const right = useOnce(`texts ${second?.artifact}`, hasTexts && second ? () => readTexts(second) : undefined)
  const [before, after] = [left?.ok ? left.value : NONE, right?.ok ? right.value : NONE]
  const found = useMemo(
    () =>
      changes.filter((each) => (changed === 'all' || each.change === changed) && (find === '' || includes(each, [before, after], find))),
    [changes, changed, find, before, after],
  )
  const from = Math.min(at, Math.max(0, Math.floor((found.length - 1) / PAGE) * PAGE))
  const count = (kind: ItemChange['change']): string => changes.filter((each) => each.change === kind).length.toLocaleString('en')
  const problem = [left, right].find((each) => each && !each.ok)
  return (
    <Card
      title="Items"
      about={`${count('lost')} lost, ${count('won')} won, ${count('same')} the same. The largest losses come first.`}
      busy={hasTexts && !problem && (!left || !right)}
      wide
    >
      <Segments label="Show" value={changed} options={SHOWN} onChange={(next) => change({ changed: next, at: 0 })} />
      {!hasTexts && (
        <p className="quiet">
          Neither evaluation has its texts: <code>ironlaw evaluate run SPEC --keep-texts</code> keeps what was asked and what was said.
        </p>
      )}
      {problem && !problem.ok && <Refusal problem={problem} />}
      <FilterField
        label="Items"
        find={find}
        onFind={(next) => {
          setFind(next)
          change({ at: 0 })
        }}
        shown={found.length}
        total={changes.length}
      />
      {found.length === 0 && <Empty>No item is here.</Empty>}
      <ol className="item-changes" start={from + 1}>
        {found.slice(from, from + PAGE).map((each) => (
          <ItemRow key={each.id} of={each} before={before.get(each.id)} after={after.get(each.id)} />
        ))}
      </ol>
      {found.length > PAGE && (
        <nav className="row" aria-label="Pages of items">
          <button type="button" className="button" disabled={from === 0} onClick={() => change({ at: Math.max(0, from - PAGE) })}>
            ‹ Previous
          </button>
          <button type="button" className="button" disabled={from + PAGE >= found.length} onClick={() => change({ at: from + PAGE })}>
            Next ›
          </button>
          <span className="quiet" role="status">
            {(from + 1).toLocaleString('en')} to {Math.min(from + PAGE, found.length).toLocaleString('en')} of{' '}
            {found.length.toLocaleString('en')}
          </span>
        </nav>
      )}
    </Card>
  )
}

const NONE: Texts = new Map()

const includes = ({ id, slices }: ItemChange, texts: readonly Texts[], find: string): boolean =>
  [id, ...Object.values(slices), ...texts.flatMap((each) => textsOf(each.get(id)))].some((text) => includesText(text, find))

const textsOf = (item: ItemText | undefined): readonly string[] => (item ? [item.prompt, item.right ?? '', item.said ?? ''] : [])

const CHIPS = { lost: 'bad', won: 'good', same: 'plain' } as const

type ItemRowProps = { readonly of: ItemChange; readonly before: ItemText | undefined; readonly after: ItemText | undefined }

function ItemRow({ of: { id, change, before: was, after: is, slices }, before, after }: ItemRowProps): ReactNode {
  const asked = before ?? after
  return (
    <li>
      <p className="row">
        <span className={`chip ${CHIPS[change]}`}>{change}</span>
        <strong className="long">{id}</strong>
        <span>
          {score(was)} to {score(is)}
        </span>
        <span className="quiet long">
          {Object.entries(slices)
            .map(([slice, value]) => `${slice}: ${value}`)
            .join(', ')}
        </span>
      </p>
      {asked && (
        <div className="item-texts">
          <Text name="Asked" text={asked.prompt} />
          {asked.right !== undefined && <Text name="Right" text={asked.right} />}
          <Text name="First said" text={before?.said} kind={was >= 1 ? 'good' : 'bad'} />
          <Text name="Second said" text={after?.said} kind={is >= 1 ? 'good' : 'bad'} />
        </div>
      )}
    </li>
  )
}

const score = (value: number): string => String(Number(value.toFixed(3)))

type TextProps = { readonly name: string; readonly text: string | undefined; readonly kind?: 'good' | 'bad' }

const Text = ({ name, text = 'not kept', kind }: TextProps): ReactNode => (
  <div className={kind}>
    <span className="quiet">{name}</span>
    <blockquote tabIndex={text.length > LONG ? 0 : undefined}>{text === '' ? '(nothing)' : text}</blockquote>
  </div>
)

/** Letters that scroll in their box, which then takes the focus. */
const LONG = 300
