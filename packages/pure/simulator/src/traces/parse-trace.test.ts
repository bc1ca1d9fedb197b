import { describe, expect, test } from 'vitest'
import { parseTrace } from './parse-trace.ts'

const AZURE = `TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-16 18:15:46.6805900,374,44
2023-11-16 18:15:50.9951690,396,109
`
const BURST_GPT = `Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type
5,ChatGPT,472,18,490,Conversation log
45,GPT-4,1087,230,1317,Conversation log
50,GPT-4,1087,0,1087,API log
`
const BURST_GPT_2 = `Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type
0,a,1,GPT-4,100,10,110,Conversation log
`
const MOONCAKE = `{"timestamp": 0, "input_length": 1100, "output_length": 5, "hash_ids": [0, 1, 2]}
{"timestamp": 0, "input_length": 700, "output_length": 6, "hash_ids": [0, 9]}
{"timestamp": 3000, "input_length": 600, "output_length": 7, "hash_ids": []}
`
const GATEWAY = `{"at":"2026-05-01T10:00:02.500Z","tenant":"b","model":"m","status":200,"prompt_tokens":20,"completion_tokens":3,"took_s":0.5,"text":"{\\"prompt_tokens\\":99}"}
{"at":"2026-05-01T10:00:01.000Z","tenant":"a","model":"m","prompt_tokens":10,"completion_tokens":2,"prefix_hashes":["x","y"]}
{"at":"2026-05-01T10:00:03.000Z","tenant":"a","model":"m","status":503,"prompt_tokens":10,"completion_tokens":0}
`

const read = (text: string) => {
  const parsed = parseTrace(text)
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed
}

describe('traces', () => {
  test('of Azure, with seven decimals', () => {
    const { format, trace } = read(AZURE)
    expect([format, trace.count, [...trace.prompt], [...trace.output]]).toEqual(['azure', 2, [374, 396], [44, 109]])
    expect(trace.at_s[1]).toBeCloseTo(4.314579, 6)
  })

  test('of BurstGPT, both releases, without what failed', () => {
    const { format, trace } = read(BURST_GPT)
    expect([format, [...trace.at_s], trace.tenants]).toEqual(['burst-gpt', [0, 40], ['ChatGPT', 'GPT-4']])
    expect(read(BURST_GPT_2).trace.prompt[0]).toBe(100)
  })

  test('of Mooncake: prefixes, and groups of equal times spread', () => {
    const { trace } = read(MOONCAKE)
    expect([...trace.at_s]).toEqual([0, 1.5, 3])
    expect([[...trace.hashes], [...trace.hashFirst], trace.hashTokens]).toEqual([[0, 1, 2, 0, 3], [0, 3, 5, 5], 512])
  })

  test('of our gateway: by arrival, without what was refused', () => {
    const { format, trace } = read(GATEWAY)
    expect([format, [...trace.prompt], trace.tenants, [...trace.at_s]]).toEqual(['gateway', [10, 20], ['a', 'b'], [0, 1]])
    expect([...trace.hashes]).toEqual([0, 1])
  })

  test('of none of these, or broken, are answered with the place', () => {
    expect(parseTrace('a,b\n1,2')).toMatchObject({ ok: false })
    expect(parseTrace('arrival_s,input_tokens,output_tokens\n0,5,6\n1,x,6')).toMatchObject({
      ok: false,
      problem: expect.stringContaining('line 3'),
    })
    expect(parseTrace('arrival_s,input_tokens,output_tokens\n')).toMatchObject({ ok: false })
  })
})
