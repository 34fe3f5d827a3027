/** Secrets that are typed or pasted at a terminal, of which it shows nothing. */
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { QuestionLeft } from '../errors.ts';

export interface TypingPlace {
  /** A terminal. */
  readonly input: Readable;
  /** Shows where lines end, and nothing else. */
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/**
 * All lines up to Ctrl-D, which ends them as it does where they are shown: at the beginning of a line at once, and
 * elsewhere when it comes twice. Throws exit 130 at Ctrl-C, and what the signal was aborted with.
 */
export async function typedUnseen({ input, output, signal }: TypingPlace): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  const lines: string[] = [];
  let isLeft = false;
  let isOnceEnded = false;
  const close = () => reader.close();
  const heard = (_text: string | undefined, key: { readonly ctrl?: boolean; readonly name?: string }) => {
    const isEnd = key.ctrl === true && key.name === 'd' && reader.line !== '';
    if (isEnd && isOnceEnded) close();
    isOnceEnded = isEnd;
  };
  reader.on('line', (line) => {
    lines.push(line);
    output.write('\n');
  });
  reader.on('SIGINT', () => {
    isLeft = true;
    close();
  });
  // Behind Ctrl-Z readline waits to be asked for more.
  reader.on('SIGCONT', () => reader.resume());
  input.on('keypress', heard);
  signal.addEventListener('abort', close, { once: true });
  try {
    if (!signal.aborted) await new Promise<void>((resolve) => reader.once('close', resolve));
  } finally {
    close();
    input.off('keypress', heard);
    signal.removeEventListener('abort', close);
    if (reader.line !== '' || isLeft) output.write('\n');
  }
  signal.throwIfAborted();
  if (isLeft) throw new QuestionLeft();
  return [...lines, reader.line].join('\n');
}
