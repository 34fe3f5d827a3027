/** The whole picture: one line less than the terminal has, none too wide, in both languages and at every size. */
import stringWidth from 'string-width';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { screensOf } from '../../../cli/screens/all-screens.ts';
import { helpPartCount, linesOf } from '../../../cli/screens/frame.ts';
import { bindingsOf, screenKeys } from '../../../cli/screens/keys.ts';
import { type LiveRow, logColumns } from '../../../cli/screens/log-lines.ts';
import { Refresher, realClock } from '../../../cli/screens/refresh.ts';
import { screensFor, screenTable } from '../../../cli/screens/screen-table.ts';
import { type DeskWishes, deskFor } from '../../support/screen-desk.ts';

const framing = suite('the frame of the screens');

const refresher = () => new Refresher({ clock: realClock, onAnswer: () => undefined });

framing('fills the terminal but for its last line, whatever is open', () => {
  for (const lang of ['en', 'zh'] as const) {
    const desk = deskFor({ lang });
    const [entries, refresh] = [screensFor(100), { word: 'live', periodMs: 5000, since: undefined } as const];
    for (const screen of Object.values(screensOf(desk, refresher()))) {
      for (const [columns, rows] of [
        [60, 16],
        [80, 24],
        [120, 40],
        [40, 10],
      ] as const) {
        const check = (isHelpOpen: boolean) => {
          const picture = { desk, entries, screen, tab: 'overview', refresh, isHelpOpen, now: 0 } as const;
          const lines = linesOf(picture, { columns, rows });
          assert.is(lines.length, rows - 1);
          for (const line of lines) assert.ok(stringWidth(line) <= columns, line);
          return lines.join('\n');
        };
        const shown = check(false);
        if (columns === 40) assert.match(shown, '60x16');
        else assert.match(shown, 'gw.example.com');
        check(true);
        desk.tell(
          { en: 'a message '.repeat(40), zh: '一条消息'.repeat(60) },
          { tone: 'bad', command: 'tollgate '.repeat(30) },
        );
        check(false);
        desk.ask({ en: 'a question', zh: '一个问题' }, () => undefined, '答'.repeat(200));
        check(false);
        desk.press({ name: 'Esc', text: '' });
        desk.clearMessage();
        // What stays open is a form, where the screen has one.
        const actions: Readonly<Record<string, (() => void) | undefined>> = screen.actions;
        actions.new?.();
        check(false);
      }
    }
  }
});

framing('says also on a terminal that is too small what was told', () => {
  for (const lang of ['en', 'zh'] as const) {
    const desk = deskFor({ lang });
    const screen = screensOf(desk, refresher()).users;
    const refresh = { word: 'live', periodMs: 5000, since: undefined } as const;
    desk.tell({ en: 'a call is under way', zh: '有请求尚未完成' });
    for (const columns of [1, 2, 40]) {
      const picture = { desk, entries: [], screen, tab: 'users', refresh, isHelpOpen: false, now: 0 } as const;
      const lines = linesOf(picture, { columns, rows: 10 });
      assert.is(lines.length, 9);
      assert.ok(lines.every((line) => stringWidth(line) <= columns));
      if (columns === 40) assert.match(lines[1] ?? '', desk.message?.text ?? '');
    }
  }
});

framing('tells the time of the zone that is wished, and when a call was in the form that is', () => {
  const now = Date.UTC(2026, 8, 21, 14, 13, 20);
  const shown = (wishes: Partial<DeskWishes>) => {
    const desk = deskFor({ lang: 'en', tz: 'Asia/Shanghai', ...wishes });
    const screen = screensOf(desk, refresher()).users;
    const refresh = { word: 'offline', periodMs: 5000, since: now - 60_000 } as const;
    const picture = { desk, entries: [], screen, tab: 'users', refresh, isHelpOpen: false, now } as const;
    const [time] = logColumns(desk);
    const row = { created_at: Math.floor(Date.now() / 1000) - 121 } as LiveRow;
    return [linesOf(picture, { columns: 80, rows: 24 })[0]?.slice(-40), time?.value(row), time?.width];
  };
  assert.match(String(shown({})[0]), /offline since 22:12 +22:13:20/);
  assert.match(String(shown({ time: 'unix' })[0]), / 22:13:20/);
  assert.match(String(shown({ time: 'unix' })[1]), /^\d{10}$/);
  assert.is(shown({ time: 'unix' })[2], 10);
  assert.equal(shown({ time: 'relative' }).slice(1), ['2m ago', 8]);
});

framing('has a top line in the colour of the profile, and says where nothing may be written', () => {
  const topLine = (wishes: Partial<DeskWishes>) => {
    const desk = deskFor({ lang: 'en', ...wishes });
    const refresh = { word: 'live', periodMs: 5000, since: undefined } as const;
    const screen = screensOf(desk, refresher()).overview;
    const picture = {
      desk,
      entries: screensFor(100),
      screen,
      tab: 'overview',
      refresh,
      isHelpOpen: false,
      now: 0,
    } as const;
    return linesOf(picture, { columns: 120, rows: 40 })[0] ?? '';
  };
  const plain = topLine({ where: { colour: 'red' } });
  assert.not.match(plain, '\x1b');
  const painted = topLine({ where: { colour: 'red', readOnly: true }, color: 'always' });
  assert.ok(painted.startsWith('\x1b[1m\x1b[31m Tollgate '), painted);
  assert.match(painted, 'read-only');
  assert.is(stringWidth(painted), stringWidth(plain));
  assert.not.match(topLine({ color: 'always' }), '\x1b');
});

framing('has a screen for every tab, and an action for every key', () => {
  const screens = Object.values(screensOf(deskFor({ lang: 'en' }), refresher()));
  assert.equal(
    screens.map(({ id }) => id),
    screenTable.map(({ id }) => id),
  );
  for (const screen of screens) {
    const wanted = screenKeys[screen.id].map(({ action }) => action);
    assert.equal(Object.keys(screen.actions).sort(), [...wanted].sort(), screen.id);
  }
  assert.equal(
    screensFor(1).map(({ id }) => id),
    ['overview', 'tokens', 'logs', 'account'],
  );
});

framing('names every tab and tells every key in full on the smallest terminal', () => {
  const [terminal, entries] = [{ columns: 60, rows: 16 }, screensFor(100)];
  for (const lang of ['en', 'zh'] as const) {
    const desk = deskFor({ lang });
    for (const screen of Object.values(screensOf(desk, refresher()))) {
      const refresh = { word: 'live', periodMs: 5000, since: undefined } as const;
      const picture = { desk, entries, screen, tab: 'overview', refresh, isHelpOpen: true, now: 0 } as const;
      const parts = Array.from({ length: helpPartCount(picture, terminal) }, (_none, helpPart) =>
        linesOf({ ...picture, helpPart }, terminal).slice(0, -2),
      );
      assert.match(parts[0]?.[1] ?? '', /\[1 .* 2 .* 3 .* 4 .* 5 .* 6 .* 7 /);
      const shown = parts.map((lines) => lines.slice(4).join('\n')).join('\n');
      assert.not.match(shown, '…');
      for (const { text } of bindingsOf(screen.id, desk.where)) assert.ok(shown.includes(text[lang]), text.en);
    }
  }
});

framing.run();
