// The equivalent YAML for the command line, to read, copy or save.

import type { ReactNode } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'
import { saveFile } from '../ui/save-file.ts'

export type SpecTextProps = { readonly file: string; readonly text: string; readonly config?: string }

export const SpecText = ({ file, text, config = '' }: SpecTextProps): ReactNode => (
  <details className="spec-text" open>
    <summary>
      {file}: what <code>ironlaw apply {file}</code> would send
    </summary>
    {config !== '' && (
      <p className="about">
        Save the pasted config.json next to it:{' '}
        <button type="button" className="link" onClick={() => saveFile('config.json', new Blob([config], { type: 'application/json' }))}>
          download config.json
        </button>
      </p>
    )}
    <p className="row">
      <CopyButton text={() => text}>Copy the YAML</CopyButton>
      <button type="button" className="button" onClick={() => saveFile(file, new Blob([text], { type: 'application/yaml' }))}>
        Download {file}
      </button>
    </p>
    <pre tabIndex={0} aria-label={file}>
      {text}
    </pre>
  </details>
)
