/** How times and amounts are printed: by `--time`, `--tz` and `--money`, else by the form of the output and the site (cli.md 1.2). */
import { usageError } from './errors.ts';
import { unitsToUsd } from './input/money.ts';
import { isTimeZone, machineZone } from './input/time.ts';
import { both, type Language } from './language.ts';
import type { MemberForms } from './output/machine.ts';
import type { OutputFormat } from './output/printer.ts';

/** Facts of the server that output needs. */
export interface SiteFacts {
  quotaPerUnit: number;
  inCurrency: boolean;
  timeZone: string;
}

/** A unix second as RFC 3339 says it. */
export function instantText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

const chineseUnits = { s: '秒', m: '分钟', h: '小时' } as const;

/** How long ago something was. */
const distance: Readonly<Record<Language, (count: number, unit: keyof typeof chineseUnits) => string>> = {
  en: (count, unit) => `${count}${unit} ago`,
  zh: (count, unit) => `${count}${chineseUnits[unit]}前`,
};

export interface FormWishes {
  time?: 'iso' | 'unix' | 'local' | 'relative' | undefined;
  money?: 'usd' | 'units' | undefined;
  tz?: string | undefined;
  /** Rows stay on the screen while time goes on. */
  follow?: boolean | undefined;
}

/** A zone and who wished it: a flag, a variable, or a key of the profile. */
export interface ZoneWish {
  readonly name: string;
  readonly from: string;
}

/** First of `--tz`, `TOLLGATE_TZ` and the profile that names a zone. */
export function wishedZone(flag: string | undefined, variable: string | undefined, profile: string | undefined) {
  const wishes: readonly (readonly [from: string, name: string | undefined])[] = [
    ['--tz', flag],
    ['TOLLGATE_TZ', variable],
    ['tz', profile],
  ];
  return wishes.flatMap(([from, name]): ZoneWish[] => (name ? [{ name, from }] : [])).at(0);
}

export interface FormsDeps {
  wishes: FormWishes;
  /** Undefined: the machine's. */
  zone: ZoneWish | undefined;
  language: Language;
  /** The form in force. */
  format(): OutputFormat;
  /** Asks the server. */
  site(): Promise<SiteFacts>;
}

export class Forms {
  readonly #deps: FormsDeps;
  /** What cells need to know of the site, once it is known. */
  #site: SiteFacts | undefined;
  #isSiteNeeded = false;
  /** The zone that was wished, once it is known. */
  #clockZone: string | undefined;

  constructor(deps: FormsDeps) {
    this.#deps = deps;
  }

  /** Makes cells ready to be filled: the server is asked only where one of them needs it. Throws exit 3. */
  async prepareCells({ times }: { readonly times: boolean }): Promise<void> {
    if (this.#isSiteNeeded) this.#site ??= await this.#deps.site();
    if (times) await this.prepareTimes();
  }

  /** Makes times ready to be printed: where they are clocks, the server may have to be asked for its zone. Throws exit 3. */
  async prepareTimes(): Promise<void> {
    const { wishes, format } = this.#deps;
    const isClock = wishes.time === undefined ? format() === 'table' : ['local', 'relative'].includes(wishes.time);
    if (isClock) await this.prepareClocks();
  }

  /** Makes ready what shows a clock whatever `--time` says. Throws exit 3. */
  async prepareClocks(): Promise<void> {
    this.#clockZone ??= await this.zone();
  }

  /** Zone of times that are read without an offset; undefined: the machine's. Throws exit 3. */
  async zone(): Promise<string | undefined> {
    const { zone, site } = this.#deps;
    if (zone === undefined) return undefined;
    if (zone.name === 'site') return (await site()).timeZone;
    if (isTimeZone(zone.name)) return zone.name;
    throw usageError(both(`${zone.name} is no time zone`, `${zone.name} 不是有效的时区`), { field: zone.from });
  }

  /** An amount as sentences say it, which people read whatever the form of the rows: by `--money`, else as the site does. */
  async moneyText(): Promise<(units: number) => string> {
    const { wishes, site } = this.#deps;
    const { inCurrency, quotaPerUnit } = await site();
    const usd = wishes.money === undefined ? inCurrency : wishes.money === 'usd';
    return usd ? (units) => `$${unitsToUsd(units, quotaPerUnit)}` : String;
  }

  /** An amount as a cell shows it: as `moneyText` in a table, a bare number of units or dollars for machines. */
  moneyCells(): (units: number) => string | number {
    const { money } = this.#deps.wishes;
    const isTable = this.#deps.format() === 'table';
    if (money === 'units' || (money === undefined && !isTable)) return isTable ? String : (units) => units;
    this.#isSiteNeeded = true;
    return (units) => {
      if (this.#site === undefined) throw new Error('an amount was to be printed before the site was known');
      if (money === undefined && !this.#site.inCurrency) return String(units);
      return `${isTable ? '$' : ''}${unitsToUsd(units, this.#site.quotaPerUnit)}`;
    };
  }

  /** How members of JSON and YAML are printed that hold times and amounts. */
  async members(): Promise<MemberForms> {
    const { wishes, format, site } = this.#deps;
    const time = wishes.time ?? (format() === 'yaml' ? 'iso' : 'unix');
    await this.prepareTimes();
    const quotaPerUnit = wishes.money === 'usd' ? (await site()).quotaPerUnit : undefined;
    return {
      time: time === 'unix' ? undefined : (seconds) => this.timeText(seconds),
      usd: quotaPerUnit === undefined ? undefined : (units) => unitsToUsd(units, quotaPerUnit),
    };
  }

  /** The zone of times that are printed as a clock on the wall shows them; that of the site once it was asked for. */
  get clockZone(): string {
    const { zone } = this.#deps;
    return this.#clockZone ?? (zone !== undefined && isTimeZone(zone.name) ? zone.name : machineZone());
  }

  /** How a unix second is printed: `--time`, else RFC 3339 for lines, the time of the zone in a table. */
  timeText(seconds: number): string | number {
    const { wishes, format } = this.#deps;
    return this.#formed(seconds, wishes.time ?? (format() === 'table' ? 'local' : 'iso'));
  }

  /** The same where there is no room for the day. */
  clockText(seconds: number): string {
    const text = String(this.timeText(seconds));
    return /^\d{4}-\d\d-\d\d[ T]/.test(text) ? text.slice(11, 19) : text;
  }

  /** What a clock on the wall shows, whatever `--time` says. */
  wallClockText(seconds: number): string {
    return new Date(seconds * 1000).toLocaleTimeString('sv-SE', { timeZone: this.clockZone });
  }

  /** A time of something that has happened: a table says how long ago, for a day. */
  agoText(seconds: number): string | number {
    const { wishes, format } = this.#deps;
    const isRead = format() === 'table' && wishes.follow !== true;
    return wishes.time === undefined && isRead ? this.#formed(seconds, 'relative') : this.timeText(seconds);
  }

  #formed(seconds: number, form: NonNullable<FormWishes['time']>): string | number {
    if (seconds <= 0) return '';
    // A date ends in the year 275760; an expiry may be later.
    if (form === 'unix' || seconds > 8_640_000_000_000) return seconds;
    if (form === 'iso') return instantText(seconds);
    const ago = Math.floor(Date.now() / 1000) - seconds;
    if (form === 'relative' && ago >= 0 && ago < 86_400) {
      const [unit, length] =
        ago < 60 ? (['s', 1] as const) : ago < 3600 ? (['m', 60] as const) : (['h', 3600] as const);
      return distance[this.#deps.language](Math.floor(ago / length), unit);
    }
    return new Date(seconds * 1000).toLocaleString('sv-SE', { timeZone: this.clockZone });
  }
}
