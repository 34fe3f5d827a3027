/**
 * How far long work is (cli.md 1.1): on a terminal one line that is rewritten, from 400 ms on; elsewhere a line each ten
 * seconds. Whoever else writes clears it first; it comes back as long as the work goes on.
 */
import type { OutputStream } from './host.ts';
import type { Language } from './language.ts';
import { cut } from './output/table.ts';

export interface ProgressDeps {
  stderr: OutputStream;
  /** `none` says nothing at all. */
  form: 'rewritten' | 'lines' | 'none';
  unicode: boolean;
  language: Language;
  /** What is counted; of `seconds` only how many an answer has been waited for. */
  unit: 'items' | 'bytes' | 'seconds';
}

const firstMs = 400;
const redrawMs = 200;
const lineMs = 10_000;

/** Begins to count at once. */
export class Progress {
  readonly #deps: ProgressDeps;
  readonly #beganMs = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #isShown = false;
  #done = 0;
  #total: number | undefined;

  constructor(deps: ProgressDeps) {
    this.#deps = deps;
    if (deps.form === 'lines') this.#repeat(() => deps.stderr.write(`${this.#line()}\n`), lineMs);
    if (deps.form !== 'rewritten') return;
    this.#timer = setTimeout(() => {
      this.#draw();
      this.#repeat(() => this.#draw(), redrawMs);
    }, firstMs).unref();
  }

  /** @param total undefined where nobody knows */
  at(done: number, total: number | undefined): void {
    this.#done = done;
    this.#total = total;
  }

  /** Makes room for something else on the same screen. */
  clear(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    this.#deps.stderr.write('\r\u001b[K');
  }

  end(): void {
    clearTimeout(this.#timer);
    this.clear();
  }

  #repeat(work: () => void, everyMs: number): void {
    this.#timer = setInterval(work, everyMs).unref();
  }

  #draw(): void {
    const { stderr } = this.#deps;
    this.#isShown = true;
    // What is wider than the screen would wrap and could not be rewritten.
    stderr.write(`\r${cut(this.#line(), (stderr.columns || 80) - 1)}\u001b[K`);
  }

  #line(): string {
    const { language, unit, unicode } = this.#deps;
    const seconds = (performance.now() - this.#beganMs) / 1000;
    const dot = unicode ? ' · ' : ', ';
    // A bare 0 would look like a result.
    const isNothingKnown = this.#done === 0 && this.#total === undefined;
    if (unit === 'seconds' || isNothingKnown)
      return `${language === 'zh' ? '等待中' : 'waiting'}${dot}${Math.round(seconds)} s`;
    const rate = this.#done / seconds;
    const count = unit === 'bytes' ? bytesText : String;
    const left = this.#total === undefined || rate === 0 ? undefined : Math.max(0, this.#total - this.#done) / rate;
    const parts = [this.#total === undefined ? count(this.#done) : `${count(this.#done)}/${count(this.#total)}`];
    if (rate > 0) {
      const each = unit === 'bytes' ? bytesText(rate) : rate.toFixed(rate < 10 ? 1 : 0);
      parts.push(`${each}${language === 'zh' ? '/秒' : '/s'}`);
    }
    if (left !== undefined) parts.push(language === 'zh' ? `剩余 ${timeText(left)}` : `${timeText(left)} left`);
    return parts.join(dot);
  }
}

function bytesText(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function timeText(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  return whole < 3600 ? `${Math.ceil(whole / 60)} min` : `${(whole / 3600).toFixed(1)} h`;
}
