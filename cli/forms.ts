/** How times and amounts are printed: by `--time`, `--tz` and `--money`, else by the form of the output and the site (cli.md 1.2). */
import { usageError } from './errors.ts';
import { unitsToUsd } from './input/money.ts';
import { isTimeZone } from './input/time.ts';
import { both } from './language.ts';
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

export interface FormWishes {
  time?: 'iso' | 'unix' | 'local' | 'relative' | undefined;
  money?: 'usd' | 'units' | undefined;
  tz?: string | undefined;
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

  constructor(deps: FormsDeps) {
    this.#deps = deps;
  }

  /** Makes cells ready to be filled: the server is asked only where one of them needs it. */
  async prepareCells(): Promise<void> {
    if (this.#isSiteNeeded) this.#site ??= await this.#deps.site();
  }

  /** Zone of times that are read without an offset; undefined: the machine's. Throws exit 3. */
  async zone(): Promise<string | undefined> {
    const { zone, site } = this.#deps;
    if (zone === undefined) return undefined;
    if (zone.name === 'site') return (await site()).timeZone;
    if (isTimeZone(zone.name)) return zone.name;
    throw usageError(both(`${zone.name} is no time zone`, `${zone.name} 不是有效的时区`), { field: zone.from });
  }

  /** An amount as sentences say it: dollars or units, by `--money`, else as the site does. */
  async moneyText(): Promise<(units: number) => string> {
    const { wishes, format, site } = this.#deps;
    const { inCurrency, quotaPerUnit } = await site();
    const usd = wishes.money === undefined ? inCurrency && format() === 'table' : wishes.money === 'usd';
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
    const quotaPerUnit = wishes.money === 'usd' ? (await site()).quotaPerUnit : undefined;
    return {
      time: time === 'unix' ? undefined : (seconds) => this.timeText(seconds),
      usd: quotaPerUnit === undefined ? undefined : (units) => unitsToUsd(units, quotaPerUnit),
    };
  }

  /** How a unix second is printed: `--time`, else the wire value for JSON, RFC 3339 for lines, local time on a terminal. */
  timeText(seconds: number): string | number {
    if (seconds <= 0) return '';
    const { wishes, format, zone } = this.#deps;
    const form = wishes.time ?? (format() === 'table' ? 'local' : 'iso');
    // A date ends in the year 275760; an expiry may be later.
    if (form === 'unix' || seconds > 8_640_000_000_000) return seconds;
    if (form === 'iso') return instantText(seconds);
    const ago = Math.floor(Date.now() / 1000) - seconds;
    if (form === 'relative' && ago >= 0 && ago < 86_400) {
      return ago < 60 ? `${ago}s` : ago < 3600 ? `${Math.floor(ago / 60)}m` : `${Math.floor(ago / 3600)}h`;
    }
    const isKnown = zone !== undefined && isTimeZone(zone.name);
    return new Date(seconds * 1000).toLocaleString('sv-SE', isKnown ? { timeZone: zone.name } : {});
  }
}
