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
  /** Milliseconds. */
  readonly now: number;
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
    return pane([desk.say(text)], { width: Math.max(1, columns), height });
  }
  const rule = desk.glyphs.rule.repeat(columns);
  const message = messageLines(desk, columns);
  const below = [rule, ...message, ...(message.length > 0 ? [rule] : []), footer(picture, columns)];
  const above = [header(picture, columns), tabs(picture, columns), cell(` ${screen.head()}`, columns), rule];
  const size: Size = { width: columns, height: height - above.length - below.length };
  const body = picture.isHelpOpen ? helpLines(picture) : (screen.form?.lines(size) ?? screen.body(size));
  return [...above, ...pane(body, size), ...below];
}

function header({ desk, refresh, now }: Picture, columns: number): string {
  const { profile, host, username, role, readOnly, colour } = desk.where;
  const reading = readOnly ? desk.say(both('read-only', '只读')) : undefined;
  const who = [profile, host, `${username} (${roleOf({ role })})`, reading]
    .filter((part) => part !== undefined)
    .join(' · ');
  const clock = new Date(now).toTimeString().slice(0, 8);
  const right = `${statusText(desk, refresh)}   ${clock} `;
  const left = ` Tollgate  ${oneLine(who)}`;
  const line = `${cell(left, columns - stringWidth(right) - 1)} ${right}`;
  return paintBanner(line, colour, desk.context.terminal.colour.stdout);
}

/** The word for how the data fares. */
function statusText({ say, glyphs }: Desk, { word, periodMs, since }: RefreshState): string {
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
      const at = new Date(since ?? 0).toTimeString().slice(0, 5);
      return say(both(`offline since ${at}`, `自 ${at} 起离线`));
    }
  }
}

function tabs({ desk, entries, tab }: Picture, columns: number): string {
  const words = entries.map(({ id, digit, title }) => {
    const word = `${digit} ${desk.say(title)}`;
    return id === tab ? `[${word}]` : ` ${word} `;
  });
  return `${cell(words.join(' '), columns - 2)}? `;
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
  if (isHelpOpen) return cell(` ${desk.say(both('any key closes this', '按任意键关闭'))}`, columns);
  if (screen.form) return cell(` ${screen.form.keys().join('  ')}`, columns);
  const { first, end } = footerWords(bindingsOf(screen.id, desk.where), desk.say);
  const fitting: string[] = [];
  for (const word of first) {
    if (stringWidth([...fitting, word, ...end].join('  ')) > columns - 2) break;
    fitting.push(word);
  }
  return cell(` ${[...fitting, ...end].join('  ')}`, columns);
}

function helpLines({ desk, entries, screen }: Picture): readonly string[] {
  const line = (keys: readonly string[], text: string) => `   ${cell(keys.map(shownKey).join(' '), 12)} ${text}`;
  const bindings = [...bindingsOf(screen.id, desk.where), ...frameKeys];
  const digits = line(
    entries.map(({ digit }) => digit),
    desk.say(both('screens', '切换页面')),
  );
  const all = [...bindings.map(({ keys, text }) => line(keys, desk.say(text))), digits];
  // Two columns: the whole table is read at a glance on 80x24.
  const half = Math.ceil(all.length / 2);
  return all.slice(0, half).map((left, at) => `${cell(left, 38)}${all[half + at] ?? ''}`);
}
