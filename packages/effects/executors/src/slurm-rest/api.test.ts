import { expect, test } from 'vitest'
import { answerOf } from './api.ts'

// Replies of slurmrestd 22.05.8, shortened.
test.each([
  ['a list', 200, '{"errors":[],"jobs":[]}', { answer: 'replied' }],
  [
    'taken, and the node it names is drained',
    200,
    '{"errors":[{"error_code":2068,"error":"Required node not available"}],"job_id":4}',
    { answer: 'replied' },
  ],
  ['an unknown key', 400, '{"errors":[{"description":"Unknown key \\"foo\\""},{"error_code":9001}]}', { answer: 'declined', code: 9001 }],
  [
    'an unknown partition',
    500,
    '{"errors":[{"error_code":2000,"error":"Invalid partition name specified"}]}',
    { answer: 'declined', code: 2000 },
  ],
  [
    'an unknown job',
    500,
    '{"errors":[{"description":"x","error_number":2017,"error":"Invalid job id specified"}]}',
    { answer: 'declined', code: 2017 },
  ],
  [
    'controller down',
    500,
    '{"errors":[{"description":"Failed while looking for jobs","error_number":-1}],"jobs":[]}',
    { answer: 'unreachable' },
  ],
  ['controller down, of a submission', 500, '{"errors":[{"error_code":1800}]}', { answer: 'unreachable' }],
  [
    'a token that expired, of a submission',
    500,
    '{"errors":[{"error_code":5005,"error":"Zero Bytes were transmitted"}]}',
    { answer: 'unreachable' },
  ],
  ['no token', 401, 'Authentication failure', { answer: 'unreachable', reason: 'HTTP 401: Authentication failure' }],
  ['another version of the API', 404, '{"errors":[]}', { answer: 'unreachable' }],
  ['some proxy on the way', 200, '<html>', { answer: 'unreachable', reason: 'HTTP 200: <html>' }],
])('%s', (_, status, text, answer) => {
  expect(answerOf(status, text)).toMatchObject(answer)
})
