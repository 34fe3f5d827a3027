/** The whole picture, line by line: where one is, the tabs, the screen, messages and keys; always one line less than the terminal has. */
import stringWidth from 'string-width';
import { both } from '../language.ts';
import { paint, paintBanner } from '../terminal.ts';
import { roleOf } from '../views.ts';
import type { Desk } from './desk.ts';
import { bindingsOf, footerWords, frameKeys, shownKey } from './keys.ts';
import { cell, oneLine, pane, type Size, smallest, wrapped } from './layout.ts';
import type { RefreshState } from './refresh.ts';
import type { Screen } from './screen.ts';
import type { ScreenEntry, ScreenId } from './screen-table.ts';
import { drawn } from './text-field.ts';

export interface Picture {
  readonly desk: Desk;
  readonly entries: readonly ScreenEntry[];
  /** What is in view: a screen, or a page over it. */
  readonly screen: Screen;
  /** The tab it belongs to. */
  readonly tab: ScreenId;
  readonly refresh: RefreshState;
  readonly isHelpOpen: boolean;
  /** Which part of the keys stands there, where they take more than one; the first when absent. */
  readonly helpPart?: number;
  /** Milliseconds. */
  readonly now: number;
}

/** What stands around the screen while nothing is said: top line, tabs, its head, two rules, keys, and the last row. */
const aroundLines = 7;

/** How many parts the keys have on a terminal of this size. */
export function helpPartCount(
  picture: Pick<Picture, 'desk' | 'entries' | 'screen'>,
  { columns, rows }: { columns: number; rows: number },
): number {
  return helpParts(picture, { width: columns, height: rows - aroundLines }).length;
}

/** The lines of the picture, `rows - 1` of them. */
export function linesOf(picture: Picture, { columns, rows }: { columns: number; rows: number }): readonly string[] {
  const { desk, screen } = picture;
  const height = Math.max(1, rows - 1);
  if (columns < smallest.width || rows < smallest.height) {
    const text = both(
      `needs ${smallest.width}x${smallest.height}, has ${columns}x${rows}`,
      `需要 ${smallest.width}x${smallest.height}，当前 ${columns}x${rows}`,
    );
    const width = Math.max(1, columns);
    // A wide character takes two cells.
    const message = desk.message === undefined ? [] : wrapped(desk.message.text, Math.max(2, width));
    return pane([desk.say(text), ...message], { width, height });
  }
  const rule = desk.glyphs.rule.repeat(columns);
  const message = messageLines(desk, columns);
  const below = [rule, ...message, ...(message.length > 0 ? [rule] : []), footer(picture, columns)];
  const above = [header(picture, columns), tabs(picture, columns), cell(` ${screen.head()}`, columns), rule];
  const size: Size = { width: columns, height: height - above.length - below.length };
  const body = picture.isHelpOpen
    ? (helpParts(picture, size)[picture.helpPart ?? 0] ?? [])
    : (screen.form?.lines(size) ?? screen.body(size));
  return [...above, ...pane(body, size), ...below];
}

function header({ desk, refresh, now }: Picture, columns: number): string {
  const { profile, host, username, role, readOnly, colour } = desk.where;
  const reading = readOnly ? desk.say(both('read-only', '只读')) : undefined;
  const who = [profile, host, `${username} (${roleOf({ role })})`, reading]
    .filter((part) => part !== undefined)
    .join(' · ');
  const clock = desk.context.clocks.wallClockText(now / 1000);
  const right = `${statusText(desk, refresh)}   ${clock} `;
  const left = ` Tollgate  ${oneLine(who)}`;
  const line = `${cell(left, columns - stringWidth(right) - 1)} ${right}`;
  return paintBanner(line, colour, desk.context.terminal.colour.stdout);
}

/** The word for how the data fares. */
function statusText({ say, glyphs, context }: Desk, { word, periodMs, since }: RefreshState): string {
  const seconds = Math.round(periodMs / 1000);
  const every = seconds > 0 ? ` ${seconds} s` : '';
  switch (word) {
    case 'live':
      return say(both(`live ${glyphs.dot}${every}`, `实时 ${glyphs.dot}${every}`));
    case 'paused':
      return say(both('paused', '已暂停'));
    case 'retrying':
      return say(both(`retrying${every}`, `重试中${every}`));
    case 'offline': {
      const at = context.clocks.wallClockText((since ?? 0) / 1000).slice(0, 5);
      return say(both(`offline since ${at}`, `自 ${at} 起离线`));
    }
  }
}

/** Every screen is named: a narrow terminal has less air between the names, and then shorter ones. */
function tabs({ desk, entries, tab }: Picture, columns: number): string {
  const room = columns - 2;
  const longest = Math.max(...entries.map(({ title }) => stringWidth(desk.say(title))));
  const lineOf = (isTight: boolean, most: number) => {
    const words = entries.map(({ id, digit, title }) => {
      const name = desk.say(title);
      const shown = stringWidth(name) <= most ? name : cell(name, most);
      const word = `${digit} ${shown}`;
      if (id === tab) return `[${digit} ${name}]`;
      return isTight ? word : ` ${word} `;
    });
    return words.join(' ');
  };
  let line = lineOf(false, longest);
  for (let most = longest; stringWidth(line) > room && most > 2; most -= 1) line = lineOf(true, most);
  return `${cell(line, room)}? `;
}

/** At most two lines: what happened, and the command that does the same. */
function messageLines(desk: Desk, columns: number): readonly string[] {
  const { question, message } = desk;
  if (question?.kind === 'yes') return [cell(` ${question.label} (y/N)`, columns)];
  if (question) {
    const label = ` ${question.label} `;
    return [cell(`${label}${drawn(question.field, Math.max(10, columns - stringWidth(label) - 1))}`, columns)];
  }
  if (message === undefined) return [];
  const tone = message.tone === 'bad' ? 'red' : message.tone === 'good' ? 'green' : 'dim';
  const colour = desk.context.terminal.colour.stdout;
  const marks = desk.context.terminal.unicode ? { good: '✓ ', bad: '✗ ' } : { good: '[ok] ', bad: '[fail] ' };
  const mark = message.tone === 'plain' ? '' : marks[message.tone];
  const texts = wrapped(`${mark}${message.text}`, columns - 2).slice(0, 2);
  const command = message.command === undefined ? [] : [cell(` = ${message.command}`, columns)];
  return [...texts.map((text) => paint(cell(` ${text}`, columns), tone, colour)), ...command];
}

function footer({ desk, screen, isHelpOpen }: Picture, columns: number): string {
  if (desk.question) {
    const words =
      desk.question.kind === 'yes'
        ? both('y yes  any other key no', 'y 确认  其他键取消')
        : both('Enter go on  Esc leave', 'Enter 确定  Esc 取消');
    return cell(` ${desk.say(words)}`, columns);
  }
  if (isHelpOpen) return cell(` ${desk.say(both('any key goes on, and closes this', '按任意键继续或关闭'))}`, columns);
  if (screen.form) return cell(` ${screen.form.keys().join('  ')}`, columns);
  const { first, end } = footerWords(bindingsOf(screen.id, desk.where), desk.say);
  const fitting: string[] = [];
  for (const word of first) {
    if (stringWidth([...fitting, word, ...end].join('  ')) > columns - 2) break;
    fitting.push(word);
  }
  return cell(` ${[...fitting, ...end].join('  ')}`, columns);
}

/** The keys in two columns, in as many parts as the height wants; with little room the keys are not lined up. */
function helpParts(
  { desk, entries, screen }: Pick<Picture, 'desk' | 'entries' | 'screen'>,
  { width, height }: Size,
): readonly (readonly string[])[] {
  const columnWidth = Math.min(38, Math.floor(width / 2));
  const line = (keys: readonly string[], text: string) => {
    const shown = keys.map(shownKey).join(' ');
    return columnWidth < 38 ? ` ${shown} ${text}` : `   ${cell(shown, 12)} ${text}`;
  };
  const digits = line(
    entries.map(({ digit }) => digit),
    desk.say(both('screens', '切换页面')),
  );
  const bindings = [...bindingsOf(screen.id, desk.where), ...frameKeys];
  const all = [...bindings.map(({ keys, text }) => line(keys, desk.say(text))), digits];
  const count = Math.ceil(all.length / 2 / Math.max(1, height));
  const rows = Math.ceil(all.length / 2 / count);
  return Array.from({ length: count }, (_none, part) => {
    const shown = all.slice(part * rows * 2, (part + 1) * rows * 2);
    return shown.slice(0, rows).map((left, at) => `${cell(left, columnWidth)}${shown[rows + at] ?? ''}`);
  });
}
