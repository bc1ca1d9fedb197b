// The equivalent YAML for the command line, to read, copy or save.

import type { ReactNode } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'
import { saveFile } from '../ui/save-file.ts'

export type SpecTextProps = {
  readonly file: string
  readonly text: string
  readonly config?: string
  /** The command that reads it. */
  readonly command?: 'apply' | 'plan'
}

export const SpecText = ({ file, text, config = '', command = 'apply' }: SpecTextProps): ReactNode => (
  <details className="spec-text" open>
    <summary>
      {file}: what{' '}
      <code>
        ironlaw {command} {file}
      </code>{' '}
      would {command === 'apply' ? 'send' : 'read'}
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
