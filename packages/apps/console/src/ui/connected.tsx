// Wraps content that needs a control plane: asks the user to sign in, or for a token, first.

import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { loginProblem } from '../log-in.ts'
import { call, isSession, onTokenChange, openSession, readToken, storeToken } from '../runs/api.ts'

export type ConnectedProps = {
  readonly title: string
  readonly children: (forget: () => void) => ReactNode
}

export function Connected({ title, children }: ConnectedProps): ReactNode {
  const token = useSyncExternalStore(onTokenChange, readToken)
  return token === '' ? <Connect title={title} onToken={storeToken} /> : <div className="page">{children(() => void leave())}</div>
}

/** How to leave: a session ends, a token is only forgotten. */
export const LeaveButton = ({ onLeave }: { readonly onLeave: () => void }): ReactNode => (
  <button type="button" className="link" onClick={onLeave}>
    {isSession() ? 'Sign out' : 'Change token'}
  </button>
)

async function leave(): Promise<void> {
  const answer = isSession() ? await call('signOut', {}) : undefined
  storeToken('')
  if (answer?.ok && answer.value.provider !== undefined) location.assign(answer.value.provider)
}

function Connect({ title, onToken }: { readonly title: string; readonly onToken: (token: string) => void }): ReactNode {
  const [typed, setTyped] = useState('')
  const host = useProvider()
  return (
    <form
      className="page narrow"
      onSubmit={(event) => {
        event.preventDefault()
        onToken(typed.trim())
      }}
    >
      <h1>{title}</h1>
      {host !== undefined && (
        <p>
          <a className="button primary" href={`/v1/sign-in?page=${encodeURIComponent(location.hash.slice(1) || '/runs')}`}>
            Sign in with {host}
          </a>
        </p>
      )}
      <p className="about">
        {host === undefined ? 'Connect to a control plane.' : 'Or connect with a token:'} <code>ironlaw console</code> prints a link that
        opens this page logged in; or paste an access token, such as the one in <code>~/.ironlaw/context.json</code>. It is kept for this
        tab only.
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
      <button type="submit" className={host === undefined ? 'button primary' : 'button'} disabled={typed.trim() === ''}>
        Connect
      </button>
    </form>
  )
}

/** The host of the identity provider, where there is one. A browser that is signed in goes on without asking. */
function useProvider(): string | undefined {
  const [host, setHost] = useState<string>()
  useEffect(() => {
    const leaving = new AbortController()
    const look = async (): Promise<void> => {
      const answer = await call('getSignInOptions', {}, leaving.signal)
      if (!answer.ok || leaving.signal.aborted) return
      setHost(answer.value.provider?.host)
      if (answer.value.session) openSession()
    }
    void look()
    return () => leaving.abort()
  }, [])
  return host
}
