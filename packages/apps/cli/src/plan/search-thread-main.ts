// Entry point of a search thread: the planner's message handler.

import { parentPort } from 'node:worker_threads'
import { type SearchMessage, searchWorker } from '@ironlaw/planner'

const answer = searchWorker()
parentPort?.on('message', (message: SearchMessage) => parentPort?.postMessage(answer(message), []))
