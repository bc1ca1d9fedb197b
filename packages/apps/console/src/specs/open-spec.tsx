// A spec as the command line reads it, pasted or from a file: its studio shows it.

import { type ReactNode, useRef, useState } from 'react'
import { reportLoadFailure } from '../load-failure.ts'

/** The parsers are large and rarely needed. */
const loadParser = () => import('./spec-address.ts').catch(reportLoadFailure)

export function OpenSpec(): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState('')
  const edit = (next: string): void => {
    setText(next)
    setProblem('')
  }
  const open = async (): Promise<void> => {
    const result = (await loadParser())?.specAddress(text)
    if (!result) return
    if (!result.ok) return setProblem(`${result.message}. ${result.next}`)
    dialog.current?.close()
    location.hash = result.address
  }
  return (
    <div className="paste">
      <button type="button" className="link" onClick={() => dialog.current?.showModal()}>
        Open a spec
      </button>
      <dialog ref={dialog} aria-label="Open a spec">
        <h2>Open a spec</h2>
        <p className="about">YAML of kind Train, RL or Serve. Nothing leaves this page; the spec becomes part of its address.</p>
        <input
          type="file"
          aria-label="File of the spec"
          accept=".yaml,.yml,.json"
          onChange={({ target }) => void target.files?.[0]?.text().then(edit)}
        />
        <textarea
          aria-label="Text of the spec"
          rows={14}
          spellCheck={false}
          value={text}
          aria-invalid={problem !== ''}
          onChange={({ target }) => edit(target.value)}
        />
        <p className="problem" role="status">
          {problem}
        </p>
        <div className="row">
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="button" className="button primary" disabled={text.trim() === ''} onClick={() => void open()}>
            Plan this spec
          </button>
        </div>
      </dialog>
    </div>
  )
}
