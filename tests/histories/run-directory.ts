// The directory of a run on storage that its nodes share, as far as fences and checkpoints go: what python/ironlaw does with renames.

export type Commit = { readonly attempt: number; readonly step: number; readonly at: number }

export class RunDirectory {
  readonly commits: Commit[] = []
  /** The completion record, once there is one. */
  completed: { readonly attempt: number; readonly step: number } | undefined
  #open = 0

  /** Seals all earlier attempts; refused when a later one has been here. */
  open(attempt: number): boolean {
    if (attempt < this.#open) return false
    this.#open = attempt
    return true
  }

  /** A sealed attempt commits nothing. */
  commit(commit: Commit): boolean {
    if (commit.attempt !== this.#open) return false
    this.commits.push(commit)
    return true
  }

  newest(before: number): Commit | undefined {
    return this.commits.filter(({ step }) => step < before).toSorted((a, b) => b.step - a.step || b.attempt - a.attempt)[0]
  }
}
