// Offers to reload where a part of the console cannot be loaded, instead of a blank page.

import { Component, type ReactNode } from 'react'
import { isLoadFailure, onLoadFailure } from '../load-failure.ts'

export type LoadBoundaryProps = { readonly children: ReactNode }

type LoadBoundaryState = { readonly failed: boolean }

/** A class, because React has no hook for errors of children. */
export class LoadBoundary extends Component<LoadBoundaryProps, LoadBoundaryState> {
  static getDerivedStateFromError(error: unknown): LoadBoundaryState {
    if (!isLoadFailure(error)) throw error
    return { failed: true }
  }

  override state: LoadBoundaryState = { failed: false }
  #stop: (() => void) | undefined

  override componentDidMount(): void {
    this.#stop = onLoadFailure(() => this.setState({ failed: true }))
  }

  override componentWillUnmount(): void {
    this.#stop?.()
  }

  override render(): ReactNode {
    return this.state.failed ? <LoadFailure /> : this.props.children
  }
}

const LoadFailure = (): ReactNode => (
  <div className="page narrow" role="alert">
    <h1>This page could not be loaded</h1>
    <p>
      Ironlaw may have been upgraded since this tab was opened, or the connection is down. What you entered is in the address and survives a
      reload.
    </p>
    <p>
      <button type="button" className="button primary" onClick={() => location.reload()}>
        Reload
      </button>
    </p>
  </div>
)
