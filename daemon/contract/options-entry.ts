/**
 * What one runtime option is made of, and the builders that the section files use to declare them. The stored and
 * published form of every option is text; `form` says how that text and the typed value become each other.
 */
import * as z from 'zod/mini';

/** How the text of an option is written: also the control that a settings form shows for it. */
export type OptionForm =
  | 'boolean'
  | 'integer'
  | 'number'
  | 'string'
  | 'text'
  | 'json'
  | 'list'
  | 'lines'
  | 'words'
  | 'status-ranges';

/** Who may write an option: any administrator, or the root user alone (D1). */
export type OptionClass = 'admin' | 'root';

/** Who may see the value: everybody through `/api/status`, administrators, or nobody. */
export type OptionAudience = 'public' | 'admin' | 'secret';

export type OptionSection =
  | 'general'
  | 'server'
  | 'content'
  | 'network'
  | 'payment'
  | 'sign-in'
  | 'email-domains'
  | 'mail'
  | 'oidc'
  | 'github'
  | 'linuxdo'
  | 'wechat'
  | 'telegram'
  | 'human-check'
  | 'quota'
  | 'check-in'
  | 'rebate'
  | 'groups'
  | 'prices'
  | 'routing'
  | 'monitoring'
  | 'logs'
  | 'dashboard'
  | 'drawing'
  | 'sensitive-words'
  | 'rate-limits'
  | 'models'
  | 'gemini'
  | 'claude'
  | 'ping'
  | 'chats'
  | 'legacy';

export interface OptionLabel {
  readonly en: string;
  readonly zh: string;
}

/** One runtime option whose parsed value is a `T`. */
export interface OptionEntry<T> {
  readonly form: OptionForm;
  /** The value in force while nothing is stored, unless `shipped` names a member of the price file. */
  readonly default: T;
  readonly class: OptionClass;
  readonly audience: OptionAudience;
  /** True when the value is sealed at rest and never leaves the daemon. */
  readonly secret: boolean;
  readonly section: OptionSection;
  readonly label: OptionLabel;
  /** Checks a decoded value and normalises it. */
  readonly schema: z.ZodMiniType<T>;
  /** Member of `model-prices.json` that is the default. */
  readonly shipped?: string;
  /** Options that must be filled in before this switch may become true. */
  readonly needs?: readonly string[];
  /** For a secret: the address option to whose origin it is bound (S15). */
  readonly boundTo?: string;
}

/** Inclusive range of HTTP statuses. */
export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

type Placement = Pick<OptionEntry<unknown>, 'class' | 'section' | 'label'> & {
  readonly audience?: OptionAudience;
  readonly needs?: readonly string[];
};

const placed = (placement: Placement) => ({
  class: placement.class,
  section: placement.section,
  label: placement.label,
  audience: placement.audience ?? ('admin' as const),
  secret: false,
  ...(placement.needs ? { needs: placement.needs } : {}),
});

/** An on/off switch; its text is exactly `true` or `false`. */
export function flag(initial: boolean, placement: Placement): OptionEntry<boolean> {
  return { form: 'boolean', default: initial, schema: z.boolean(), ...placed(placement) };
}

interface Range {
  readonly min?: number;
  readonly max?: number;
  /** The value must be greater than this. */
  readonly above?: number;
}

const rangeChecks = (range: Range) => [
  ...(range.min === undefined ? [] : [z.minimum(range.min)]),
  ...(range.max === undefined ? [] : [z.maximum(range.max)]),
  ...(range.above === undefined ? [] : [z.gt(range.above)]),
];

/** A whole number within the safe range. */
export function integer(initial: number, range: Range, placement: Placement): OptionEntry<number> {
  return { form: 'integer', default: initial, schema: z.int().check(...rangeChecks(range)), ...placed(placement) };
}

/** A finite number, with at most `places` decimal places where that is given. */
export function decimal(
  initial: number,
  range: Range & { readonly places?: number },
  placement: Placement,
): OptionEntry<number> {
  const { places } = range;
  const isFine = (value: unknown) =>
    places === undefined || (typeof value === 'number' && Number(value.toFixed(places)) === value);
  const step = z.refine(isFine, { error: `must have at most ${places} decimal place${places === 1 ? '' : 's'}` });
  const schema = z.number().check(...rangeChecks(range), step);
  return { form: 'number', default: initial, schema, ...placed(placement) };
}

/** Single-line text of at most 1,000 characters, or as the given schema says. */
export function line(initial: string, placement: Placement & { schema?: z.ZodMiniType<string> }): OptionEntry<string> {
  const schema = placement.schema ?? z.string().check(z.trim(), z.maxLength(1000), noLineBreaks());
  return { form: 'string', default: initial, schema, ...placed(placement) };
}

/** One of a closed set of words. */
export function choice<const T extends readonly [string, ...string[]]>(
  values: T,
  initial: T[number],
  placement: Placement,
): OptionEntry<T[number]> {
  return { form: 'string', default: initial, schema: z.enum(values), ...placed(placement) };
}

/** A web address or nothing, as it stands: to many sites, a path with a slash at its end is another one. */
export function address(placement: Placement & { accepts?: AddressKind }): OptionEntry<string> {
  const schema = addressSchema(placement.accepts ?? 'url', (text) => text.trim());
  return { form: 'string', default: '', schema, ...placed(placement) };
}

/** A web address that paths are put behind, or nothing; trailing slashes are dropped, and `path` if it was entered along. */
export function baseAddress(placement: Placement & { accepts?: AddressKind; path?: string }): OptionEntry<string> {
  const { accepts = 'url', path = '' } = placement;
  const bare = (text: string) => text.trim().replace(/\/+$/, '');
  const schema = addressSchema(accepts, (text) => {
    const whole = bare(text);
    return whole.endsWith(path) ? bare(whole.slice(0, whole.length - path.length)) : whole;
  });
  return { form: 'string', default: '', schema, ...placed(placement) };
}

/** A secret; `boundTo` is the address option it is sent to. */
export function secret(placement: Placement & { boundTo?: string }): OptionEntry<string> {
  return {
    form: 'string',
    default: '',
    schema: z.string().check(z.maxLength(4096), noLineBreaks()),
    ...placed(placement),
    audience: 'secret',
    secret: true,
    ...(placement.boundTo ? { boundTo: placement.boundTo } : {}),
  };
}

/** Text of several lines, at most 256 KiB in UTF-8. */
export function longText(initial: string, placement: Placement): OptionEntry<string> {
  const schema = z
    .string()
    .check(z.refine((text) => new TextEncoder().encode(text).length <= 262_144, { error: 'longer than 256 KiB' }));
  return { form: 'text', default: initial, schema, ...placed(placement) };
}

/** A list with one entry a line; lines are trimmed and empty ones dropped. */
export function lines(
  initial: readonly string[],
  placement: Placement & { schema?: z.ZodMiniType<readonly string[]> },
): OptionEntry<readonly string[]> {
  const schema = placement.schema ?? z.array(z.string()).check(z.maxLength(100_000));
  return { form: 'lines', default: initial, schema, ...placed(placement) };
}

/** A list written with commas between the entries. */
export function words(
  initial: readonly string[],
  placement: Placement & { schema: z.ZodMiniType<readonly string[]> },
): OptionEntry<readonly string[]> {
  return { form: 'words', default: initial, schema: placement.schema, ...placed(placement) };
}

/** A JSON object or, with `form: 'list'`, a JSON list. */
export function json<T>(
  initial: T,
  placement: Placement & { schema: z.ZodMiniType<T>; form?: 'json' | 'list' },
): OptionEntry<T> {
  return { form: placement.form ?? 'json', default: initial, schema: placement.schema, ...placed(placement) };
}

/** A JSON value whose default is a member of the shipped price file; `empty` stands in where that file is not read. */
export function shippedPrices<T>(
  member: string,
  empty: T,
  placement: { readonly label: OptionLabel; schema: z.ZodMiniType<T>; form?: 'json' | 'list' },
): OptionEntry<T> {
  return { ...json(empty, { class: 'admin', section: 'prices', ...placement }), shipped: member };
}

/** Comma list of statuses and ranges within 100-599, such as `401,500-503`; `never` names statuses it may not hold. */
export function statusRanges(
  initial: readonly StatusRange[],
  placement: Placement & { never?: readonly number[] },
): OptionEntry<readonly StatusRange[]> {
  const never = placement.never ?? [];
  const status = z.int().check(z.minimum(100), z.maximum(599));
  const range = z.object({ from: status, to: status }).check(
    z.refine((value) => value.from <= value.to, { error: 'a range must rise' }),
    z.refine((value) => !never.some((code) => value.from <= code && code <= value.to), {
      error: `must not contain ${never.join(', ')}`,
    }),
  );
  return {
    form: 'status-ranges',
    default: initial,
    schema: z.array(range).check(z.maxLength(200)),
    ...placed(placement),
  };
}

/** True when the status lies in one of the ranges. */
export function inStatusRanges(ranges: readonly StatusRange[], status: number): boolean {
  return ranges.some((range) => range.from <= status && status <= range.to);
}

type AddressKind = 'url' | 'url-without-query' | 'url-or-path';

const addressErrors: Readonly<Record<AddressKind, string>> = {
  url: 'must be an http(s) address',
  'url-without-query': 'must be an http(s) address without path and query',
  'url-or-path': 'must be an http(s) address or a path of this site',
};

/** Accepts "" or an absolute http(s) URL (or a path of this site). */
function addressSchema(kind: AddressKind, plain: (text: string) => string): z.ZodMiniType<string> {
  return z.string().check(
    z.overwrite(plain),
    z.maxLength(2048),
    z.refine((value) => value === '' || isAcceptableAddress(value, kind), { error: addressErrors[kind] }),
  );
}

function isAcceptableAddress(value: string, kind: AddressKind): boolean {
  if (kind === 'url-or-path' && /^\/(?![/\\])\S*$/.test(value)) return true;
  if (!/^https?:\/\//i.test(value) || /\s/.test(value)) return false;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || url.username || url.password) return false;
  return kind !== 'url-without-query' || (url.search === '' && url.hash === '' && url.pathname === '/');
}

/** A check that refuses line breaks and other control characters. */
export function noLineBreaks() {
  return z.refine<string>((value) => !/\p{Cc}/u.test(value), { error: 'must be one line without control characters' });
}
