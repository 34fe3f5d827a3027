/**
 * How a row of the usage log comes to its charge: arithmetic that ends in the booked number (console.md 6.14), from what
 * the row itself says and never from today's prices. Exact: the daemon's own decimals, rounded where it rounds.
 */
import { Decimal } from '../../daemon/domain/decimal.ts';

/** What a row of the log has to say of its charge. */
export interface BilledRow {
  readonly quota: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** JSON text (relay.md 16.2). */
  readonly other: string;
}

export type TokenKind =
  | 'fresh'
  | 'cached'
  | 'creation5m'
  | 'creation1h'
  | 'audioInput'
  | 'imageInput'
  | 'output'
  | 'audioOutput'
  | 'imageOutput';

/** `count × weight = amount`, in tokens of input price. */
export interface TokenLine {
  readonly kind: TokenKind;
  readonly count: number;
  readonly weight: Decimal;
  readonly amount: Decimal;
}

interface BillBase {
  /** Of the group, of the user's own standing in it, or of the rate rule in its place. */
  readonly groupRatio: Decimal;
  readonly isOwnGroupRatio: boolean;
  /** The rule whose ratio it is, such as `token:7 gpt-*`; undefined where none fitted. */
  readonly rateRule: string | undefined;
  /** What the arithmetic ends in. */
  readonly quota: number;
  /** What was booked. */
  readonly booked: number;
  /**
   * `turns`: realtime rows are rounded turn by turn, so that the sum may be a little more. `waived`: nothing was charged
   * for what was used, such as an empty answer; the row's content says why.
   */
  readonly agreement: 'exact' | 'turns' | 'waived' | 'differs';
}

export interface TokenBill extends BillBase {
  readonly mode: 'tokens';
  readonly lines: readonly TokenLine[];
  /** Of the lines' amounts. */
  readonly sum: Decimal;
  readonly modelRatio: Decimal;
  /** Prompt tokens from which the higher price was taken; undefined for the ordinary one. */
  readonly tierOver: number | undefined;
}

/** At a price for each call, picture or search. */
export interface PriceBill extends BillBase {
  readonly mode: 'price';
  /** USD for the whole call, before the group ratio. */
  readonly usd: Decimal;
  /** USD of one piece as the price table says; undefined where the model has only a ratio. */
  readonly unitUsd: Decimal | undefined;
}

/** A tool that ran for the answer; it has a row of its own. */
export interface ToolBill extends BillBase {
  readonly mode: 'tool';
  readonly name: string;
  readonly count: number;
  readonly usd: Decimal;
  /** USD is for a piece, or for a thousand. */
  readonly per: 1 | 1000;
}

export type Bill = TokenBill | PriceBill | ToolBill;

/** Largest charge of one request; more is cut and flagged. */
const MAX_CHARGE = 2_147_483_647n;

type Facts = Readonly<Record<string, unknown>>;

/** The parsed `other` of a row; empty for a text that is no object. */
export function factsOf(other: string): Facts {
  try {
    const parsed: unknown = JSON.parse(other === '' ? '{}' : other);
    return isFacts(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function isFacts(value: unknown): value is Facts {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined for rows that charge nothing by a price: failed calls, top-ups, notices. */
export function billOf(row: BilledRow, quotaPerUnit: number): Bill | undefined {
  const facts = factsOf(row.other);
  if (isFacts(facts.tool)) return toolBill(row, facts, facts.tool, quotaPerUnit);
  if (typeof facts.model_price !== 'number') return undefined;
  if (facts.model_price !== -1 || typeof facts.price_usd === 'number') return priceBill(row, facts, quotaPerUnit);
  return tokenBill(row, facts);
}

function numberOf(facts: Facts, ...names: readonly string[]): number {
  for (const name of names) {
    const value = facts[name];
    if (typeof value === 'number' && Number.isFinite(value)) return value;
  }
  return 0;
}

/** Whole and not negative. */
function countOf(facts: Facts, ...names: readonly string[]): number {
  return Math.max(0, Math.floor(numberOf(facts, ...names)));
}

function ratiosOf(facts: Facts): Pick<BillBase, 'groupRatio' | 'isOwnGroupRatio' | 'rateRule'> {
  const isOwnGroupRatio = typeof facts.user_group_ratio === 'number';
  const rateRule = typeof facts.rate_rule === 'string' ? facts.rate_rule : undefined;
  return { isOwnGroupRatio, rateRule, groupRatio: Decimal.of(numberOf(facts, 'user_group_ratio', 'group_ratio')) };
}

function bookedOf(row: BilledRow, facts: Facts): number {
  return facts.is_test === true ? numberOf(facts, 'test_quota') : row.quota;
}

/** @param tolerance units by which rounding each turn of a session may have added up */
function agreed(
  row: BilledRow,
  facts: Facts,
  amount: bigint,
  tolerance = 0,
): Pick<BillBase, 'quota' | 'booked' | 'agreement'> {
  const booked = bookedOf(row, facts);
  const quota = Number(amount < 0n ? 0n : amount > MAX_CHARGE ? MAX_CHARGE : amount);
  return { quota, booked, agreement: agreementOf(Math.abs(quota - booked), booked, tolerance) };
}

function agreementOf(difference: number, booked: number, tolerance: number): BillBase['agreement'] {
  if (difference === 0) return 'exact';
  if (booked === 0) return 'waived';
  return difference <= tolerance ? 'turns' : 'differs';
}

function tokenBill(row: BilledRow, facts: Facts): TokenBill {
  const lines = tokenLines(row, facts).filter(({ count }) => count > 0);
  const sum = lines.reduce((total, { amount }) => total.plus(amount), Decimal.ZERO);
  const modelRatio = Decimal.of(numberOf(facts, 'model_ratio'));
  const ratios = ratiosOf(facts);
  const isFree = modelRatio.isZero() || ratios.groupRatio.isZero();
  const rounded = sum.times(modelRatio).times(ratios.groupRatio).round();
  const wasUsed = row.prompt_tokens + row.completion_tokens > 0 || lines.length > 0;
  const least = rounded === 0n && wasUsed && !isFree && !hasPaidTools(facts) ? 1n : rounded;
  // Every turn was rounded by itself; how many there were the row does not say, and each has tokens.
  const tolerance = facts.ws === true ? Math.max(1, Math.min(1000, row.prompt_tokens + row.completion_tokens)) : 0;
  const tier = facts.long_context_tier;
  return {
    mode: 'tokens',
    lines,
    sum,
    modelRatio,
    tierOver: isFacts(tier) && typeof tier.input_over === 'number' ? tier.input_over : undefined,
    ...ratios,
    ...agreed(row, facts, least, tolerance),
  };
}

const million = Decimal.of(1_000_000);

/** Dollars for a million tokens of fresh input, before the group's ratio. */
export function inputPriceOf({ modelRatio }: TokenBill, quotaPerUnit: number): Decimal {
  return modelRatio.times(million).dividedBy(Decimal.of(quotaPerUnit), 12);
}

function hasPaidTools(facts: Facts): boolean {
  const tools = facts.tool_surcharges;
  return Array.isArray(tools) && tools.some((tool) => isFacts(tool) && numberOf(tool, 'quota') > 0);
}

/** The part of a call's prompt that was read from a cache, 0 to 1; what was written to it is no part of that. */
export function cachedShare({ prompt_tokens, other }: Pick<BilledRow, 'prompt_tokens' | 'other'>): number {
  const facts = factsOf(other);
  const cached = countOf(facts, 'cache_tokens');
  const isExclusive = facts.claude === true;
  const whole = isExclusive ? prompt_tokens + cached + countOf(facts, 'cache_creation_tokens') : prompt_tokens;
  return whole > 0 ? Math.min(1, cached / whole) : 0;
}

function tokenLines(row: BilledRow, facts: Facts): TokenLine[] {
  const cached = countOf(facts, 'cache_tokens');
  const creation5m = countOf(facts, 'cache_creation_tokens_5m', 'cache_creation_tokens');
  const creation1h = countOf(facts, 'cache_creation_tokens_1h');
  // What Anthropic calls input has neither cached tokens nor those that were written to the cache.
  const uncached = facts.claude === true ? row.prompt_tokens : row.prompt_tokens - cached - creation5m - creation1h;
  const { prompt_tokens: prompt, completion_tokens: completion } = row;
  const input = [countOf(facts, 'audio_input'), countOf(facts, 'image')] as const;
  const [audioInput, imageInput] = within(input, { whole: prompt, left: uncached });
  const output = [countOf(facts, 'audio_output'), countOf(facts, 'image_output')] as const;
  const [audioOutput, imageOutput] = within(output, { whole: completion, left: completion });
  const audio = Decimal.of(numberOf(facts, 'audio_ratio'));
  const weights = {
    fresh: Decimal.ONE,
    cached: Decimal.of(numberOf(facts, 'cache_ratio')),
    creation5m: Decimal.of(numberOf(facts, 'cache_creation_ratio_5m', 'cache_creation_ratio')),
    creation1h: Decimal.of(numberOf(facts, 'cache_creation_ratio_1h')),
    audioInput: audio,
    imageInput: Decimal.of(numberOf(facts, 'image_ratio')),
    output: Decimal.of(numberOf(facts, 'completion_ratio')),
    audioOutput: audio.times(Decimal.of(numberOf(facts, 'audio_completion_ratio'))),
    imageOutput: Decimal.of(numberOf(facts, 'image_completion_ratio')),
  };
  const line = (kind: TokenKind, count: number): TokenLine => ({
    kind,
    count,
    weight: weights[kind],
    amount: weights[kind].timesInteger(Math.max(0, count)),
  });
  return [
    line('fresh', uncached - audioInput - imageInput),
    line('cached', cached),
    line('creation5m', creation5m),
    line('creation1h', creation1h),
    line('audioInput', audioInput),
    line('imageInput', imageInput),
    line('output', row.completion_tokens - audioOutput - imageOutput),
    line('audioOutput', audioOutput),
    line('imageOutput', imageOutput),
  ];
}

/** Two parts of a whole, together never more than what is left of it; without a whole they stand for themselves. */
function within(parts: readonly [number, number], { whole, left }: { whole: number; left: number }): [number, number] {
  const room = whole === 0 ? Number.MAX_SAFE_INTEGER : Math.max(0, left);
  const first = Math.min(parts[0], room);
  return [first, Math.min(parts[1], room - first)];
}

function priceBill(row: BilledRow, facts: Facts, quotaPerUnit: number): PriceBill {
  const listed = numberOf(facts, 'model_price');
  const usd = Decimal.of(typeof facts.price_usd === 'number' ? facts.price_usd : listed);
  const ratios = ratiosOf(facts);
  const amount = usd.times(Decimal.of(quotaPerUnit)).times(ratios.groupRatio).round();
  return {
    mode: 'price',
    usd,
    unitUsd: listed === -1 ? undefined : Decimal.of(listed),
    ...ratios,
    ...agreed(row, facts, amount),
  };
}

function toolBill(row: BilledRow, facts: Facts, tool: Facts, quotaPerUnit: number): ToolBill {
  const name = typeof tool.name === 'string' ? tool.name : '';
  const count = countOf(tool, 'count');
  const usd = Decimal.of(numberOf(tool, 'price'));
  const per = tool.per === 1 ? 1 : 1000;
  const each = per === 1 ? usd : usd.dividedByPowerOfTen(3);
  const ratios = ratiosOf(facts);
  const exact = each.timesInteger(count).times(Decimal.of(quotaPerUnit)).times(ratios.groupRatio);
  return { mode: 'tool', name, count, usd, per, ...ratios, ...agreed(row, facts, exact.roundTo(6).round()) };
}
