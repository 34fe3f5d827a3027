/** What a bill says in words: its prices and its ratio, each as one short text. */
import type { TFunction } from 'i18next';
import type { LogView } from '../../../daemon/contract/logs.ts';
import { type Bill, type BilledRow, billOf, factsOf, inputPriceOf, type TokenBill } from '../../billing/bill.ts';
import { formatDollars } from '../../components/format.ts';
import { numberAt, textAt } from './log-facts.ts';

type Texts = TFunction<'logs'>;

/** The ratio of the group, or whatever stood in its place. */
export function ratioText({ groupRatio, isOwnGroupRatio, rateRule }: Bill, t: Texts): string {
  const ratio = String(groupRatio);
  if (rateRule !== undefined) return t('bill.ruleRatio', { ratio, rule: rateRule });
  return isOwnGroupRatio ? t('bill.ownGroupRatio', { ratio }) : t('bill.groupRatio', { ratio });
}

/** The prices for a million tokens of each kind that most calls have. */
export function tokenPriceTexts(bill: TokenBill, { quotaPerUnit, t }: { quotaPerUnit: number; t: Texts }): string[] {
  const input = inputPriceOf(bill, quotaPerUnit);
  const priceOf = (kind: 'output' | 'cached') => {
    const line = bill.lines.find((entry) => entry.kind === kind);
    return line === undefined ? undefined : formatDollars(input.times(line.weight).toNumber(), 1);
  };
  const output = priceOf('output');
  const cached = priceOf('cached');
  return [
    t('bill.inputPrice', { price: formatDollars(input.toNumber(), 1) }),
    ...(output === undefined ? [] : [t('bill.outputPrice', { price: output })]),
    ...(cached === undefined ? [] : [t('bill.cachedPrice', { price: cached })]),
    ...(bill.tierOver === undefined ? [] : [t('bill.tier', { tokens: bill.tierOver.toLocaleString('en-US') })]),
  ];
}

/**
 * The first line of the billing text, in the reader's language, where the row's own is in the site's. That one says why
 * nothing was charged, and how a call failed: it stands for rows of those kinds, and for those without a price.
 */
export function billLine(
  row: BilledRow & Pick<LogView, 'type' | 'failed' | 'content'>,
  words: { quotaPerUnit: number; t: Texts },
): string {
  const bill = row.type === 2 && !row.failed ? billOf(row, words.quotaPerUnit) : undefined;
  if (bill === undefined || bill.agreement === 'waived') return row.content;
  const facts = factsOf(row.other);
  const estimated = facts.usage_estimated === true ? [`≈ ${words.t('bill.estimated')}`] : [];
  return [...priceTexts(bill, words), ratioText(bill, words.t), ...pieces(facts), ...estimated].join(' · ');
}

function priceTexts(bill: Bill, words: { quotaPerUnit: number; t: Texts }): string[] {
  const { t } = words;
  if (bill.mode === 'tokens') return tokenPriceTexts(bill, words);
  const price = `$${bill.usd.toString()}`;
  if (bill.mode === 'price') return [`${t('bill.perCall')} ${price}`];
  return [`${t('bill.tool', { name: bill.name, price, per: bill.per })} × ${bill.count.toLocaleString('en-US')}`];
}

/** The pictures that were made, and the task that makes something. */
function pieces(facts: ReturnType<typeof factsOf>): string[] {
  const images = numberAt(facts, 'images');
  const look = [textAt(facts, 'size'), textAt(facts, 'quality')].filter((text) => text !== undefined);
  const task = textAt(facts, 'task_id');
  return [...(images === undefined ? [] : [[`${images} ×`, ...look].join(' ')]), ...(task === undefined ? [] : [task])];
}
