// A model that is not in the list: its config.json, as found next to the weights on the Hugging Face hub.

import { type ReactNode, useRef, useState } from 'react'

export function PasteConfig({ config, onChange }: { readonly config: string; readonly onChange: (config: string) => void }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState(config)
  const minified = minifiedJson(text)
  return (
    <div className="paste">
      <button type="button" className="link" onClick={() => dialog.current?.showModal()}>
        {config === '' ? 'Paste a config.json' : 'Change it'}
      </button>
      {config !== '' && (
        <button type="button" className="link" onClick={() => onChange('')}>
          Back to the list
        </button>
      )}
      <dialog ref={dialog} aria-label="Paste a config.json">
        <h2>Paste a config.json</h2>
        <p className="about">Nothing leaves this page; the text becomes part of its address.</p>
        <textarea
          aria-label="Text of the config.json"
          rows={14}
          spellCheck={false}
          value={text}
          aria-invalid={text !== '' && minified === undefined}
          onChange={({ target }) => setText(target.value)}
        />
        <p className="problem" role="status">
          {text !== '' && minified === undefined ? 'Not valid JSON.' : ''}
        </p>
        <div className="row">
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button
            type="button"
            className="button primary"
            disabled={minified === undefined}
            onClick={() => {
              onChange(minified ?? '')
              dialog.current?.close()
            }}
          >
            Plan this model
          </button>
        </div>
      </dialog>
    </div>
  )
}

/** Undefined if the text is not a JSON object. */
function minifiedJson(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? JSON.stringify(value) : undefined
  } catch {
    // The user is still typing.
    return undefined
  }
}
