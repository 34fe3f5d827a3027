/** The screens as Ink draws them: one component that turns keys into actions and the state of the desk into lines. */
import { Box, Text, useApp, useInput } from 'ink';
import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { both } from '../language.ts';
import type { AllScreens } from './all-screens.ts';
import type { Desk } from './desk.ts';
import { helpPartCount, linesOf } from './frame.ts';
import type { KeyInput } from './key-input.ts';
import { actionAt, bindingsOf, type FrameAction, frameActionAt } from './keys.ts';
import { smallest } from './layout.ts';
import { Palette } from './palette.ts';
import { type Press, pressOf, singlePresses } from './press.ts';
import type { Refresher } from './refresh.ts';
import type { TabScreen } from './screen.ts';
import { screensFor } from './screen-table.ts';
import type { ScreenTerminal } from './terminal.ts';

/** Data is drawn so often at most; keys at once. */
const dataFrameMs = 250;
const blankMs = 80;

export interface AppProps {
  readonly desk: Desk;
  readonly screens: AllScreens;
  readonly first: TabScreen;
  readonly refresher: Refresher;
  readonly terminal: ScreenTerminal;
  readonly input: Pick<KeyInput<NodeJS.ReadStream>, 'onPaste'>;
  readonly onEnd: (how: Ending) => void;
}

/** How it ends: in peace, at once by Ctrl-C, or for a command that gets the terminal; then the screen in view comes back. */
export type Ending = 'quit' | 'interrupted' | { readonly words: readonly string[]; readonly back: TabScreen };

export function App({ desk, screens, first, refresher, terminal, input, onEnd }: AppProps) {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  // No state of React's: a key may come before what the last one changed is drawn.
  const view = useRef({ base: first, isHelpOpen: false, helpPart: 0 }).current;
  const entries = screensFor(desk.where.role);
  /** The screen of the tab; another one where somebody has signed in since who may not see it. */
  const tabScreen = () =>
    screensFor(desk.where.role).some(({ id }) => id === view.base.id) ? view.base : screens.overview;
  const inView = () => desk.page ?? tabScreen();
  const screen = inView();
  const [isBlank, setBlank] = useState(false);
  const { exit } = useApp();

  useEffect(() => {
    let timer: NodeJS.Timeout | undefined;
    desk.onChange((cause) => {
      if (cause === 'key') redraw();
      else
        timer ??= setTimeout(() => {
          timer = undefined;
          redraw();
        }, dataFrameMs);
    });
    const clock = setInterval(redraw, 1000);
    return () => {
      clearTimeout(timer);
      clearInterval(clock);
      desk.onChange(() => undefined);
    };
  }, [desk]);
  useEffect(() => {
    refresher.show(screen.sources);
    screen.shown?.();
    return () => screen.hidden?.();
  }, [refresher, screen]);
  // A picture is drawn anew over an empty one, since Ink draws nothing that it believes to be there.
  const drawAnew = useCallback(() => {
    terminal.wipe();
    setBlank(true);
  }, [terminal]);
  useEffect(() => terminal.onResize(drawAnew), [terminal, drawAnew]);
  useEffect(() => terminal.onBack(drawAnew), [terminal, drawAnew]);
  useEffect(() => {
    if (!isBlank) return;
    const timer = setTimeout(() => setBlank(false), blankMs);
    return () => clearTimeout(timer);
  }, [isBlank]);

  const end = (how: Ending) => {
    onEnd(how);
    exit();
  };
  desk.onLeave((words) => end({ words, back: tabScreen() }));
  const open = (other: TabScreen) => {
    desk.closePages();
    view.base = other;
  };
  desk.onGo((id) => open(screens[id]));
  const isDirty = () => inView().form?.isDirty === true || tabScreen().form?.isDirty === true;
  const tellOfCall = () =>
    desk.tell(both('a call is under way; Ctrl-C leaves at once', '有请求尚未完成；按 Ctrl-C 立即离开'));
  const quit = () => {
    if (desk.running > 0) tellOfCall();
    else if (isDirty()) desk.confirm(both('Leave without saving?', '尚未保存，确定离开？'), () => end('quit'));
    else end('quit');
  };
  /** With room for no question, nothing is left that has not come to its end. */
  const quitUnasked = () => {
    if (desk.running > 0) tellOfCall();
    else if (isDirty() || desk.question !== undefined)
      desk.tell(both('not saved; Ctrl-C leaves at once', '尚未保存；按 Ctrl-C 立即离开'));
    else end('quit');
  };
  const turn = (by: number) => {
    const at = entries.findIndex(({ id }) => id === tabScreen().id);
    const next = entries[(at + by + entries.length) % entries.length];
    const found = next === undefined ? undefined : screens[next.id];
    if (found) open(found);
  };
  const frame: Readonly<Record<FrameAction, () => void>> = {
    'next-screen': () => turn(1),
    'previous-screen': () => turn(-1),
    refresh: () => {
      desk.askPasswordAgain();
      refresher.refresh();
    },
    pause: () => refresher.pause(!refresher.isPaused),
    'copy-command': () => desk.copyCommand(),
    palette: () => desk.openPage(new Palette(desk)),
    help: () => {
      view.isHelpOpen = true;
      view.helpPart = 0;
    },
    quit,
    leave: () => end('interrupted'),
    suspend: () => terminal.suspend(),
    redraw: drawAnew,
  };
  /** True where the key meant something to the frame whatever else is open. */
  const takesAlways = ({ name }: Press): boolean => {
    const action = frameActionAt(name);
    if (action !== 'leave' && action !== 'suspend' && action !== 'redraw') return false;
    frame[action]();
    return true;
  };
  const press = (one: Press) => {
    const { id, actions } = inView();
    const action = actionAt(bindingsOf(id, desk.where), one.name);
    const common = frameActionAt(one.name);
    const digit = entries.find((entry) => entry.digit === one.name);
    const found = digit === undefined ? undefined : screens[digit.id];
    if (desk.running === 0) desk.clearMessage();
    if (action !== undefined) actions[action]?.();
    else if (found) open(found);
    else if (common !== undefined) frame[common]();
  };
  /** Somebody writes: several characters at once are a text, not as many keys. */
  const takesText = () => desk.question !== undefined || inView().form !== undefined;
  const take = (one: Press) => {
    const { form } = inView();
    if (desk.question) desk.press(one);
    else if (form) form.press(one);
    else press(one);
  };
  const isTooSmall = () => terminal.size.columns < smallest.width || terminal.size.rows < smallest.height;
  // Nothing of what is pasted is a key: where nobody writes, it means nothing.
  input.onPaste((text) => {
    refresher.touch();
    if (isTooSmall() || view.isHelpOpen || desk.question?.kind === 'yes' || !takesText()) return;
    take({ name: '', text });
    redraw();
  });
  useInput((written, key) => {
    refresher.touch();
    const whole = pressOf(written, key);
    if (takesAlways(whole)) return;
    if (isTooSmall()) {
      if (whole.name === 'q') quitUnasked();
    } else if (view.isHelpOpen) {
      view.helpPart += 1;
      view.isHelpOpen = view.helpPart < helpPartCount({ desk, entries, screen: inView() }, terminal.size);
    } else if (takesText()) take(whole);
    else for (const one of singlePresses(whole)) take(one);
    redraw();
  });

  const lines = linesOf(
    {
      desk,
      entries,
      screen,
      tab: tabScreen().id,
      refresh: refresher.state,
      isHelpOpen: view.isHelpOpen,
      helpPart: view.helpPart,
      now: Date.now(),
    },
    terminal.size,
  );
  return (
    <Box flexDirection="column">
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is nothing but its place.
        <Text key={at} wrap="truncate">
          {isBlank ? ' ' : line}
        </Text>
      ))}
    </Box>
  );
}
