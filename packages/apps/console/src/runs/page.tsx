// Runs: a list with live states, and the page of a single one.

import type { RunView } from '@ironlaw/contracts/api'
import type { ReactNode } from 'react'
import { oneOf, type State, text, wholeNumber } from '../address.ts'
import { followRow, runHref } from '../places.ts'
import { Card, Empty } from '../ui/card.tsx'
import { Connected } from '../ui/connected.tsx'
import { Segments } from '../ui/fields.tsx'
import { Heads } from '../ui/heads.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { TableBox } from '../ui/table-box.tsx'
import { useAddress } from '../use-address.ts'
import { RunPage } from './run-page.tsx'
import { showAgo, showDuration, StateChip } from './run-words.tsx'
import { useEvents, useResource } from './use-live.ts'

const RUNS = {
  run: text(''),
  show: oneOf(['all', 'live', 'ended']),
  /** The rank whose log is open. */
  rank: wholeNumber(0),
}

export type RunsState = State<typeof RUNS>

export function RunsPage(): ReactNode {
  const [state, change] = useAddress('runs', RUNS)
  return (
    <Connected title="Runs">
      {(forget) =>
        state.run === '' ? (
          <RunList state={state} change={change} onForget={forget} />
        ) : (
          <RunPage key={state.run} id={state.run} rank={state.rank} onRank={(rank) => change({ rank })} />
        )
      }
    </Connected>
  )
}

type RunListProps = {
  readonly state: RunsState
  readonly change: (part: Partial<RunsState>) => void
  readonly onForget: () => void
}

const ENDED = 'succeeded,failed,cancelled'

function RunList({ state: { show }, change, onForget }: RunListProps): ReactNode {
  const filter = { all: {}, live: { live: 'true' }, ended: { state: ENDED } } as const
  const { burst } = useEvents('listEvents', {})
  const answer = useResource('listRuns', { query: { limit: 100, ...filter[show] } }, burst)
  return (
    <>
      <header className="page-head">
        <h1>Runs</h1>
        <Segments label="Show" value={show} options={['all', 'live', 'ended']} onChange={(next) => change({ show: next })} />
        <button type="button" className="link" onClick={onForget}>
          Change token
        </button>
      </header>
      {!answer && <Empty>Loading…</Empty>}
      {answer && !answer.ok && <Refusal problem={answer} />}
      {answer?.ok && answer.value.items.length === 0 && (
        <Empty>
          No runs yet. Plan one under <a href="#/train">Train</a>, then start it there or with <code>ironlaw apply train.yaml</code>.
        </Empty>
      )}
      {answer?.ok && answer.value.items.length > 0 && <RunTable runs={answer.value.items} />}
    </>
  )
}

const RunTable = ({ runs }: { readonly runs: readonly RunView[] }): ReactNode => (
  <Card title={`${runs.length} ${runs.length === 1 ? 'run' : 'runs'}`} wide>
    <TableBox label="Table of runs">
      <table>
        <thead>
          <tr>
            <Heads names={['Run', 'State', 'Progress']} />
            <Heads names={['Loss', 'Step time', 'Predicted', 'Attempt', 'Created']} numbers />
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id} className="pickable" onClick={followRow(runHref(run.id))}>
              <td>
                <a href={runHref(run.id)}>{run.name}</a> <span className="quiet">{run.project}</span>
              </td>
              <td title={run.why}>
                <StateChip state={run.state} />
              </td>
              <td>
                {run.step !== undefined && run.steps !== undefined && (
                  <>
                    <meter className="meter" min={0} max={run.steps} value={run.step} aria-label={`Steps of ${run.name}`} />{' '}
                  </>
                )}
                {run.step === undefined ? '–' : run.steps === undefined ? run.step : `${run.step} / ${run.steps}`}
              </td>
              <td className="number">{run.loss?.toFixed(3) ?? '–'}</td>
              <td className="number">{showDuration(run.step_s) || '–'}</td>
              <td className="number">{showDuration(run.predicted_step_s) || '–'}</td>
              <td className="number">{run.attempt}</td>
              <td className="number">{showAgo(run.created_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  </Card>
)
