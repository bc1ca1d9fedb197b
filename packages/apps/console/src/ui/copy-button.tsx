import { type ReactNode, useState } from 'react'

const SHOWN_MS = 1600

export function CopyButton({ text, children }: { readonly text: () => string; readonly children: ReactNode }): ReactNode {
  const [copied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text())
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return (
    <button type="button" className="button" onClick={() => void copy()}>
      {copied ? 'Copied' : children}
      <span className="only-read" role="status">
        {copied ? 'Copied to the clipboard' : ''}
      </span>
    </button>
  )
}
