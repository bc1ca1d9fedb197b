// Decides about a version, as `ironlaw decide` does. What cannot be decided says why before anybody asks.

import type { Decide, ModelView } from '@ironlaw/contracts/model-registry'
import { needsFacts } from '@ironlaw/policies/release'
import { type ReactNode, useId, useState } from 'react'
import { call, type Problem } from '../runs/api.ts'
import { useAllowed, usePerson } from '../shell/use-grants.ts'
import { ConfirmButton } from '../ui/ask-first.tsx'
import { Card } from '../ui/card.tsx'
import { Segments } from '../ui/fields.tsx'
import { LongTextField } from '../ui/long-text-field.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { EvidenceChoice } from './evidence-choice.tsx'
import { peopleText, shortId, showDay } from './version-words.tsx'

const VERBS = ['approve', 'release', 'refuse', 'waive', 'retire'] as const
type Verb = (typeof VERBS)[number]

const ANSWERS = { approve: 'approved', release: 'released', refuse: 'refused', waive: 'waived', retire: 'retired' } as const

type Draft = {
  readonly verb: Verb
  readonly why: string
  readonly otherwise: string
  readonly until: string
  readonly artifacts: readonly string[]
}

const BLANK: Draft = { verb: 'release', why: '', otherwise: '', until: '', artifacts: [] }

type DecideCardProps = { readonly model: ModelView; readonly onDecided: () => void }

export function DecideCard({ model, onDecided }: DecideCardProps): ReactNode {
  const { id, versions, project, evaluations } = model
  const [draft, setDraft] = useState(BLANK)
  const [outcome, setOutcome] = useState<Problem | string>()
  const person = usePerson()
  const isAllowed = useAllowed('decideModel', project)
  const edit = (part: Partial<Draft>): void => setDraft({ ...draft, ...part })
  const decide = async (): Promise<void> => {
    const answer = await call('decideModel', {
      project,
      artifact: id,
      headers: { 'idempotency-key': crypto.randomUUID() },
      body: requestOf(draft, model.decisions[0]?.number ?? 0),
    })
    setOutcome(answer.ok ? `Decision ${answer.value.number}: ${answer.value.answer}.` : answer)
    if (answer.ok) setDraft(BLANK)
    onDecided()
  }
  const reason = isAllowed ? refusalOf(draft, model) : ''
  return (
    <Card title="Decide" about="A decision is a record with its reason and evidence. It stays; the newest one counts.">
      {person && !isAllowed && <p>To decide takes the role operator in {project}.</p>}
      {isAllowed && (
        <div className="decide">
          <Segments label="Decision" value={draft.verb} options={VERBS} onChange={(verb) => edit({ verb })} />
          {draft.verb === 'waive' && <UntilField value={draft.until} onChange={(until) => edit({ until })} />}
          <LongTextField label="Why" value={draft.why} onChange={(why) => edit({ why })} />
          <LongTextField
            label="What would have changed it"
            value={draft.otherwise}
            hint="May be left out"
            onChange={(otherwise) => edit({ otherwise })}
          />
          <EvidenceChoice evaluations={evaluations} chosen={draft.artifacts} onChange={(artifacts) => edit({ artifacts })} />
          <p className="row">
            <ConfirmButton
              really={`Confirm: ${draft.verb} ${versions[0] ?? shortId(id)}`}
              disabled={reason !== ''}
              onAgreed={() => void decide()}
            >
              {CAPITALIZED[draft.verb]}
            </ConfirmButton>
            {reason !== '' && <span className="quiet">{reason}</span>}
          </p>
        </div>
      )}
      {typeof outcome === 'object' && <Refusal problem={outcome} />}
      <p role="status" className="outcome">
        {typeof outcome === 'string' && outcome}
      </p>
    </Card>
  )
}

const CAPITALIZED: Readonly<Record<Verb, string>> = {
  approve: 'Approve',
  release: 'Release',
  refuse: 'Refuse',
  waive: 'Waive',
  retire: 'Retire',
}

/** Why this is not to be decided now; empty when it can be. */
function refusalOf({ verb, why, until }: Draft, { lacks, removed_at, approvals }: ModelView): string {
  if (needsFacts(ANSWERS[verb])) {
    if (removed_at !== undefined) return 'Its content was deleted: add it again first.'
    if (lacks.length > 0) return `It lacks ${lacks.join(', ')}: see what is missing.`
    if (approvals && approvals.missing.length > 0) return `Approvals are missing: ${peopleText(approvals.missing)}.`
  }
  if (why.trim() === '') return verb === 'refuse' ? 'Say why, for who made it.' : 'Say why, for whoever asks later.'
  if (verb === 'waive' && !isLater(until)) return 'A waiver ends on a day within a year.'
  return ''
}

const isLater = (day: string): boolean => Date.parse(day) > Date.now() && Date.parse(day) < Date.now() + YEAR_MS
const YEAR_MS = 365 * 86_400_000

function requestOf({ verb, why, otherwise, until, artifacts }: Draft, seen: number): Decide {
  const common = {
    seen,
    why: why.trim(),
    rule: 'judgement',
    evidence: { artifacts: [...artifacts], figures: [] },
    ...(otherwise.trim() !== '' && { otherwise: otherwise.trim() }),
  }
  return verb === 'waive' ? { ...common, answer: 'waived', until_at: Date.parse(until) / 1000 } : { ...common, answer: ANSWERS[verb] }
}

type UntilFieldProps = { readonly value: string; readonly onChange: (until: string) => void }

function UntilField({ value, onChange }: UntilFieldProps): ReactNode {
  const id = useId()
  const now = Date.now()
  return (
    <div className="field">
      <label htmlFor={id}>Until</label>
      <input
        id={id}
        type="date"
        min={showDay(now / 1000 + 86_400)}
        max={showDay((now + YEAR_MS) / 1000)}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  )
}
