// The tour for first visits: what the pages are for, in a minute. Once skipped or finished it stays away; the help button starts it again.

import { type ReactNode, useEffect, useRef, useState } from 'react'

const STEPS: readonly { readonly title: string; readonly text: string; readonly href: string }[] = [
  {
    title: 'Plan a training run',
    text: 'Train answers what a run takes before you start it: time, money, memory, strategy. Every number opens its derivation. Drag a slider, and the plan follows.',
    href: '#/train',
  },
  {
    title: 'Start it from the plan',
    text: '“Run it” shows the YAML that ironlaw apply takes, and starts the run after you confirm. Serve does the same for deployments.',
    href: '#/train',
  },
  {
    title: 'Watch runs and deployments',
    text: 'Runs and Deployments compare measured with predicted: loss, step time, TTFT, TPOT, and where each second went. Charts can be read, zoomed and saved as CSV or PNG.',
    href: '#/runs',
  },
  {
    title: 'Search and notifications',
    text: 'Ctrl-K or / searches everything. The bell counts what needs attention: failed runs, rollbacks, unavailable storage.',
    href: '#/compare',
  },
]

const KEY = 'ironlaw-tour'

export const isTourDue = (): boolean => localStorage.getItem(KEY) === null

export function Tour({ onClose }: { readonly onClose: () => void }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const [at, setAt] = useState(0)
  const step = STEPS[at]
  const isLast = at === STEPS.length - 1
  useEffect(() => dialog.current?.show(), [])
  const end = (): void => {
    localStorage.setItem(KEY, 'seen')
    onClose()
  }
  const next = (): void => {
    const following = STEPS[at + 1]
    if (!following) return end()
    location.hash = following.href
    setAt(at + 1)
  }
  return (
    <dialog
      ref={dialog}
      className="tour"
      aria-label="Tour"
      onKeyDown={({ key }) => {
        if (key === 'Escape') end()
      }}
    >
      <p className="eyebrow">
        {at + 1} of {STEPS.length}
      </p>
      <h2>{step?.title}</h2>
      <p>{step?.text}</p>
      <p className="row">
        <button type="button" className="button primary" onClick={next}>
          {isLast ? 'Done' : 'Next'}
        </button>
        {!isLast && (
          <button type="button" className="button" onClick={end}>
            Skip the tour
          </button>
        )}
      </p>
    </dialog>
  )
}
