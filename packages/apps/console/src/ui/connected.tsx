// Wraps content that needs a control plane: asks for a token first.

import { type ReactNode, useState } from 'react'
import { loginProblem } from '../log-in.ts'
import { storeToken, readToken } from '../runs/api.ts'

export type ConnectedProps = {
  readonly title: string
  readonly children: (forget: () => void) => ReactNode
}

export function Connected({ title, children }: ConnectedProps): ReactNode {
  const [token, setToken] = useState(readToken)
  const connectWith = (given: string): void => {
    storeToken(given)
    setToken(given)
  }
  return token === '' ? <Connect title={title} onToken={connectWith} /> : <div className="page">{children(() => connectWith(''))}</div>
}

function Connect({ title, onToken }: { readonly title: string; readonly onToken: (token: string) => void }): ReactNode {
  const [typed, setTyped] = useState('')
  return (
    <form
      className="page narrow"
      onSubmit={(event) => {
        event.preventDefault()
        onToken(typed.trim())
      }}
    >
      <h1>{title}</h1>
      <p className="about">
        Connect to a control plane. <code>ironlaw console</code> prints a link that opens this page logged in; or paste an access token,
        such as the one in <code>~/.ironlaw/context.json</code>. It is kept for this tab only.
      </p>
      {loginProblem() !== '' && (
        <p className="warning" role="alert">
          {loginProblem()}
        </p>
      )}
      <div className="field">
        <label htmlFor="token">Token</label>
        <input id="token" type="password" autoComplete="off" value={typed} onChange={({ target }) => setTyped(target.value)} />
      </div>
      <button type="submit" className="button primary" disabled={typed.trim() === ''}>
        Connect
      </button>
    </form>
  )
}
