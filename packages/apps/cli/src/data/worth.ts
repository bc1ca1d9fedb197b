// `ironlaw data worth`: whether selecting data for a training pays, and what repeating the kept text is worth.

import { dirname } from 'node:path'
import { accelerator, usualPeak } from '@ironlaw/catalog'
import { IronlawError, quantityOf } from '@ironlaw/contracts'
import { parseTrainSpec } from '@ironlaw/contracts/train-spec'
import { parameterCounts } from '@ironlaw/models'
import { type SelectionCase, type SelectionWorth, selectionWorth } from '@ironlaw/planner'
import { counted, parse, quantity, seconds, show, showPercent, showShortPercent } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { catalogFor } from '../catalog/catalog-source.ts'
import { modelFrom } from '../model/model-source.ts'
import { paint } from '../paint.ts'
import { derivationText } from '../plan/derivation.ts'
import { specDocument } from '../plan/train-source.ts'
import { table } from '../table.ts'
import { tokensFlag, wholeNumber } from '../whole-number.ts'
import { shareOf } from './share.ts'

export type WorthFlags = {
  readonly model?: string
  readonly tokens?: string
  readonly on?: string
  readonly gpus?: string
  readonly keep: string
  readonly epochs: string
  readonly proxy: string
  readonly proxyEpochs: string
  readonly scorings: string
  readonly efficiency: string
  readonly explain?: true
  readonly with?: string
}

/** What the verdict does not depend on, as both sides run on it. */
const DEFAULT_ACCELERATOR = 'h100-sxm'
const DEFAULT_DEVICES = 8

/** Epochs of the table. */
const SHOWN_EPOCHS: ReadonlySet<number> = new Set([1, 2, 3, 4, 6, 8, 12, 16])

export function worthAnswer(file: string | undefined, flags: WorthFlags): CommandAnswer {
  const { of, title } = caseFrom(file, flags)
  const worth = selectionWorth(of)
  const { verdict } = worth
  return {
    json: worthJson(of, worth),
    text: () => worthText(title, { of, worth, explained: flags.explain === true }),
    ...(!verdict.passes && { exit: 3, violation: { problem: refusalText(worth), next: verdict.next.join('; ') } }),
  }
}

type NamedCase = { readonly of: SelectionCase; readonly title: string }

function caseFrom(file: string | undefined, flags: WorthFlags): NamedCase {
  const spec = file === undefined ? undefined : parseTrainSpec(specDocument(file), file)
  const [model, tokens] = [flags.model ?? spec?.model, flags.tokens ?? spec?.tokens]
  if (model === undefined || tokens === undefined)
    throw new IronlawError('IL_USAGE', {
      problem: `without a training spec ${[model ?? '--model', tokens ?? '--tokens'].filter((each) => each.startsWith('--')).join(' and ')} must be given`,
      command: 'data worth',
    })
  const on = accelerator(catalogFor(flags.with), flags.on ?? spec?.fleet.accelerator ?? DEFAULT_ACCELERATOR)
  const devices = flags.gpus === undefined ? (spec?.fleet.count ?? DEFAULT_DEVICES) : wholeNumber('--gpus', flags.gpus)
  const peak = usualPeak(on)
  if (!peak) throw new IronlawError('IL_USAGE', { problem: `${on.id} has no published peak`, command: 'data worth' })
  const efficiency = shareFlag('--efficiency', flags.efficiency)
  const of: SelectionCase = {
    params: paramsOf(model, flags.model === undefined && file !== undefined ? dirname(file) : undefined),
    tokens: quantityOf(tokensFlag('--tokens', tokens), 'token'),
    keep: shareFlag('--keep', flags.keep),
    epochs: wholeNumber('--epochs', flags.epochs),
    proxy: {
      params: paramsOf(flags.proxy),
      epochs: flags.proxyEpochs === '0' ? 0 : wholeNumber('--proxy-epochs', flags.proxyEpochs),
      scorings: wholeNumber('--scorings', flags.scorings),
    },
    machine: { devices, peak_flops: peak.peak.value, efficiency },
  }
  const title = `select ${showPercent(of.keep, 0)} of ${amount(of.tokens)} tokens for ${model} with a proxy of ${amount(of.proxy.params)} parameters`
  return { of, title: `${title}, on ${devices} ${on.name} at ${showPercent(efficiency, 0)} of peak` }
}

/** A number such as 7B, or a model. */
function paramsOf(text: string, from?: string): number {
  const number = parse(text, '1')
  if (number.ok && number.value >= 1) return number.value
  return parameterCounts(modelFrom(text, from).architecture).activeComputing
}

function shareFlag(flag: string, text: string): number {
  const share = shareOf(text)
  if (share !== undefined) return share
  throw new IronlawError('IL_QUANTITY', { name: flag, reason: `"${text}" is not a share such as "30 %" or 0.3` })
}

const amount = (value: number): string => show(quantity(value, '1'), '1')
const time = (value: number): string => show(seconds(value), 's')

function worthJson(of: SelectionCase, { verdict, keptTokens, proxy, rescoring, repetition, sameTime }: SelectionWorth): object {
  const { selection_s, train_s, total_s, baseline_s, saved_s, overhead, breakEven_s } = verdict.figures
  return {
    passes: verdict.passes,
    ...(!verdict.passes && { broken: verdict.broken, next: verdict.next }),
    params: of.params,
    tokens: of.tokens,
    kept_tokens: keptTokens,
    figures: { selection_s, train_s, total_s, baseline_s, saved_s, overhead, break_even_s: breakEven_s },
    proxy: { params: of.proxy.params, prepare_s: proxy.prepare_s, score_s: proxy.score_s, most_params: proxy.mostParams },
    rescoring: { most: rescoring.most, ...(rescoring.everyEpochs !== undefined && { every_epochs: rescoring.everyEpochs }) },
    epochs: repetition.epochs.map(({ epoch, effective, gain }) => ({ epoch, effective_tokens: effective, gain })),
    ...(repetition.stopAt !== undefined && { stop_at: repetition.stopAt }),
    ...(sameTime && {
      same_time: { epochs: sameTime.epochs, effective_tokens: sameTime.effectiveTokens, least_gain: sameTime.leastGain },
    }),
  }
}

const refusalText = ({ verdict }: SelectionWorth): string =>
  verdict.figures.saved_s > 0
    ? `selecting takes ${showShortPercent(verdict.figures.overhead)} of training on what is kept; more than 10 % is seldom worth it`
    : `selecting and training on what is kept take ${time(verdict.figures.total_s)}, training on everything ${time(verdict.figures.baseline_s)}`

type AnsweredCase = { readonly of: SelectionCase; readonly worth: SelectionWorth; readonly explained: boolean }

function worthText(title: string, { of, worth, explained }: AnsweredCase): string {
  const { verdict, proxy, keptTokens } = worth
  const { train_s, total_s, baseline_s, saved_s, overhead } = verdict.figures
  const rows = [
    ...(proxy.prepare_s > 0 ? [[`train the proxy on the pool, ${counted(of.proxy.epochs, 'epoch')}`, time(proxy.prepare_s)]] : []),
    [`score the pool${of.proxy.scorings > 1 ? `, ${of.proxy.scorings} times` : ''}`, time(proxy.score_s)],
    [`train on ${amount(keptTokens)} tokens, ${counted(of.epochs, 'epoch')}`, time(train_s)],
    ['together', time(total_s)],
    ['train on the whole pool instead', time(baseline_s)],
    saved_s > 0 ? ['saved', `${time(saved_s)} ${paint('dim', `(${showPercent(saved_s / baseline_s, 0)})`)}`] : ['lost', time(-saved_s)],
  ]
  const head = verdict.passes
    ? paint('green', 'it pays')
    : paint('yellow', saved_s > 0 ? 'it saves time, but selecting is too dear' : 'it does not pay')
  return [
    paint('bold', title),
    `${head}: selecting takes ${showShortPercent(overhead)} of training on what is kept, and may take 10 %`,
    '',
    table(['', 'time'], rows, [1]),
    '',
    ...limitsText(worth),
    '',
    ...epochsText(worth),
    ...(explained ? ['', ...Object.entries(worth.derivations).map(([name, known]) => derivationText(name, known))] : []),
  ].join('\n')
}

function limitsText({ verdict, proxy, rescoring }: SelectionWorth): readonly string[] {
  const again =
    rescoring.most > 1
      ? `scores may be made ${rescoring.most.toLocaleString('en')} times${(rescoring.everyEpochs ?? 0) < 1 ? '' : `, every ${Number(rescoring.everyEpochs?.toPrecision(2))} epochs`}`
      : rescoring.most === 1
        ? 'scores may be made once, and not again during training'
        : 'not even one scoring is within the rule'
  return [
    `within the rule a proxy may have up to ${amount(proxy.mostParams)} parameters; ${again}`,
    `a training on everything that takes less than ${time(verdict.figures.breakEven_s)} is faster without selecting`,
  ]
}

function epochsText({ repetition: { epochs, stopAt }, sameTime, keptTokens }: SelectionWorth): readonly string[] {
  const rows = epochs
    .filter(({ epoch }) => SHOWN_EPOCHS.has(epoch))
    .map(({ epoch, effective, gain }) => [String(epoch), `${amount(effective)} tokens`, showPercent(gain, 0)])
  return [
    table([`epochs over ${amount(keptTokens)} tokens`, 'worth as fresh text', 'gain of the last'], rows, [0, 1, 2]),
    ...(stopAt === undefined ? [] : [`from epoch ${stopAt} on, another one is worth less than half of fresh text`]),
    ...(sameTime
      ? [
          `in the time of the whole pool: ${sameTime.epochs.toFixed(1)} epochs, worth ${amount(sameTime.effectiveTokens)} fresh tokens; a kept token must teach ${sameTime.leastGain.toFixed(2)} times what an average one does`,
        ]
      : []),
  ]
}
