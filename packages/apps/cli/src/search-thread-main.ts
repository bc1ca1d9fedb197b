// What runs in a thread of a search: the planner's handler of messages.

import { parentPort } from 'node:worker_threads'
import { type SearchMessage, searchWorker } from '@ironlaw/planner'

const answer = searchWorker()
parentPort?.on('message', (message: SearchMessage) => parentPort?.postMessage(answer(message), []))
