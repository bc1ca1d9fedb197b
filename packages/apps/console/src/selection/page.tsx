// Whether selecting data before training pays. The answer takes less than a millisecond, so it is worked out in the page.

import { type SelectionCase, type SelectionWorth, selectionWorth } from '@ironlaw/planner'
import { counted, quantity, seconds, show, showShortPercent } from '@ironlaw/units'
import { type ReactNode, useCallback, useMemo } from 'react'
import { Card } from '../ui/card.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { DerivationPanel } from '../ui/derivation-panel.tsx'
import { Fact } from '../ui/fact.tsx'
import { Results } from '../ui/results.tsx'
import { OpenWhy, Why } from '../ui/why.tsx'
import { useAddress } from '../use-address.ts'
import { SelectionControls } from './controls.tsx'
import { EpochsCard, ProxyCard, ShareCard } from './curve-cards.tsx'
import { caseOf, commandOf, SELECTION } from './question.ts'

const time = (value: number): string => show(seconds(value), 's')
const amount = (value: number): string => show(quantity(value, '1'), '1')

export function SelectionPage(): ReactNode {
  const [state, change] = useAddress('data', SELECTION)
  const of = useMemo(() => caseOf(state), [state])
  const worth = useMemo(() => selectionWorth(of), [of])
  const open = useCallback((why: string) => change({ why }), [change])
  const close = useCallback(() => change({ why: '' }), [change])
  return (
    <OpenWhy value={open}>
      <div className="studio">
        <SelectionControls state={state} onChange={change} />
        <Results busy={false} refused={undefined} said={verdictText(worth)}>
          <Headline of={of} worth={worth} />
          <div className="cards">
            <ShareCard of={of} />
            <ProxyCard of={of} worth={worth} />
            <EpochsCard of={of} worth={worth} />
            <Card
              title="On the command line"
              wide
              about="The same answer for scripts: exit status 3 where a rule is broken. Scoring and training reach 40 % of peak; the verdict does not depend on it."
            >
              <p className="row">
                <CopyButton text={() => commandOf(state)}>Copy the command</CopyButton>
              </p>
              <pre tabIndex={0} aria-label="The command">
                {commandOf(state)}
              </pre>
            </Card>
          </div>
        </Results>
        {state.why !== '' && <DerivationPanel name={state.why} known={worth.derivations[state.why]} onClose={close} />}
      </div>
    </OpenWhy>
  )
}

function verdictText({ verdict }: SelectionWorth): string {
  if (verdict.passes) return 'It pays'
  return verdict.figures.saved_s > 0 ? 'Selecting is too dear' : 'It does not pay'
}

type AnswerProps = { readonly of: SelectionCase; readonly worth: SelectionWorth }

function Headline({ of, worth }: AnswerProps): ReactNode {
  const { verdict, proxy, rescoring, keptTokens, sameTime } = worth
  const { selection_s, train_s, baseline_s, saved_s, overhead } = verdict.figures
  return (
    <section className="headline" aria-label="The answer">
      <p className="strategy">
        <span className={`chip ${verdict.passes ? 'good' : 'bad'}`}>{verdictText(worth)}</span>
        <strong>
          Selecting takes {showShortPercent(overhead)} of training on what is kept, and may take 10 %
          {verdict.passes ? '.' : `: ${verdict.next.join('; ')}.`}
        </strong>
      </p>
      <dl className="numbers">
        <Fact
          label={saved_s > 0 ? 'Saved' : 'Lost'}
          value={
            <Why name="saved" label="Time saved">
              {time(Math.abs(saved_s))}
            </Why>
          }
          about={`of ${time(baseline_s)} on the whole pool`}
        />
        <Fact
          label="Selecting"
          value={
            <Why name="score the pool" label="Time to score the pool">
              {time(selection_s)}
            </Why>
          }
          about={proxy.prepare_s > 0 ? `${time(proxy.prepare_s)} of it to train the proxy` : counted(of.proxy.scorings, 'scoring')}
        />
        <Fact
          label="Training"
          value={
            <Why name="train on what is kept" label="Time to train">
              {time(train_s)}
            </Why>
          }
          about={`${amount(keptTokens)} tokens, ${counted(of.epochs, 'epoch')}`}
        />
        <Fact label="Largest proxy" value={amount(proxy.mostParams)} about="parameters, within the rules" />
        <Fact label="Scorings" value={rescoring.most === 0 ? 'none' : `at most ${amount(rescoring.most)}`} about={rescoringText(worth)} />
        {sameTime && (
          <Fact
            label="A kept token must teach"
            value={`${sameTime.leastGain.toFixed(2)} ×`}
            about={`an average one, when trained for as long: ${sameTime.epochs.toFixed(1)} epochs`}
          />
        )}
      </dl>
    </section>
  )
}

function rescoringText({ rescoring: { most, everyEpochs } }: SelectionWorth): string {
  if (most === 0) return 'is within the rules'
  if (everyEpochs === undefined || everyEpochs < 1) return most === 1 ? 'not again during training' : 'within the rules'
  return `every ${Number(everyEpochs.toPrecision(2))} epochs`
}
