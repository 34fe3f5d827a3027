/**
 * The terminal as the screens take it and give it back: the alternate screen, the cursor, its size, and the way to sleep
 * and back (cli.md 5.5). The only place that enters or leaves; whatever ends the process restores.
 */
import { writeSync } from 'node:fs';

/** With marks around what is pasted (`key-input.ts`), for as long as the screens have the terminal. */
const enter = '\x1b[?1049h\x1b[2J\x1b[H\x1b[?25l\x1b[?2004h';
const leave = '\x1b[?2004l\x1b[?25h\x1b[?1049l';
const settleMs = 50;
/** What ends a process before it says that it ends: a terminal that hangs up, and Ctrl-\ or whoever sends the same. */
const endings = ['SIGHUP', 'SIGQUIT'] as const;
/** Whoever runs on for so long behind Ctrl-Z was not stopped. */
const unstoppedMs = 200;

export class ScreenTerminal {
  #isTaken = false;
  readonly #restore = () => this.leave();
  readonly #end = (signal: NodeJS.Signals) => {
    this.leave();
    process.kill(process.pid, signal);
  };
  #redraw: () => void = () => undefined;

  /** Columns and rows; what terminals are when they do not say. */
  get size(): { columns: number; rows: number } {
    return { columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 };
  }

  enter(): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    process.once('exit', this.#restore);
    for (const signal of endings) process.on(signal, this.#end);
    writeNow(enter);
  }

  /** Gives the terminal back; once is enough. */
  leave(): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    process.off('exit', this.#restore);
    for (const signal of endings) process.off(signal, this.#end);
    if (process.stdin.isTTY && process.stdin.isRaw) process.stdin.setRawMode(false);
    writeNow(leave);
  }

  /** Something that the terminal obeys and does not show. */
  control(sequence: string): void {
    writeNow(sequence);
  }

  /** Empties the screen, for a picture that is drawn anew. */
  wipe(): void {
    writeNow('\x1b[2J\x1b[H');
  }

  /** Goes to sleep as Ctrl-Z would have it, and draws anew when the shell brings it back. */
  suspend(): void {
    this.leave();
    let timer: NodeJS.Timeout | undefined;
    const back = () => {
      clearTimeout(timer);
      process.off('SIGCONT', back);
      this.enter();
      if (process.stdin.isTTY) process.stdin.setRawMode(true);
      this.#redraw();
    };
    process.once('SIGCONT', back);
    // All of the job, as the terminal itself would.
    process.kill(0, 'SIGTSTP');
    // Without a shell that could bring it back nothing stops, and nothing continues either.
    timer = setTimeout(back, unstoppedMs);
  }

  /** Is given back while something else has the terminal. */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.leave();
    try {
      return await work();
    } finally {
      this.enter();
      if (process.stdin.isTTY) process.stdin.setRawMode(true);
      this.#redraw();
    }
  }

  /** Tells who draws everything anew. */
  onBack(redraw: () => void): void {
    this.#redraw = redraw;
  }

  /** Tells of a new size once it stays for a moment; what it returns ends that. */
  onResize(told: () => void): () => void {
    let timer: NodeJS.Timeout | undefined;
    const resized = () => {
      clearTimeout(timer);
      timer = setTimeout(told, settleMs);
    };
    process.stdout.on('resize', resized);
    return () => {
      clearTimeout(timer);
      process.stdout.off('resize', resized);
    };
  }
}

/** Writes at once: what ends a process does not wait for a stream. */
function writeNow(text: string): void {
  try {
    writeSync(1, text);
  } catch {
    // The terminal is gone.
  }
}
