// Models that answer in one pass (encoders, embeddings): their answer is what the pass over the prompt brings, as the first token is that of
// a model that decodes, and nothing is cached.

import type { Architecture } from '@ironlaw/models'

/** Text goes in and no token comes out. */
export const answersInOnePass = ({ vocabulary, groups }: Architecture): boolean =>
  vocabulary > 0 && groups.some(({ stack }) => stack === 'encoder') && !groups.some(({ stack }) => stack === 'decoder')

/** The stack that the step times, without a choice among words at its end. */
export const onePassArchitecture = (architecture: Architecture): Architecture => ({
  ...architecture,
  vocabulary: 0,
  groups: architecture.groups.map((group) => (group.stack === 'encoder' ? { ...group, stack: 'decoder' } : group)),
})
