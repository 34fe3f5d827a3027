/** Work that is counted while it goes on, so that who waits is told how far it is. */
import type { CommandContext } from './context.ts';

/** Things as they come. @param total how many there will be; undefined where nobody knows */
export async function* counted<T>(
  context: CommandContext,
  items: AsyncIterable<T> | Iterable<T>,
  total: number | undefined,
): AsyncGenerator<T> {
  const count = await startCount(context, total);
  try {
    for await (const item of items) {
      yield item;
      // Who asks for the next one is done with this.
      count.more();
    }
  } finally {
    count.end();
  }
}

/** Begins to tell how many of several things are done; of a single one nothing is told. */
export async function startCount(
  context: CommandContext,
  total: number | undefined,
): Promise<{ more(): void; end(): void }> {
  const progress = total === 1 ? undefined : await context.startProgress('items');
  let done = 0;
  progress?.at(done, total);
  return {
    more() {
      done += 1;
      progress?.at(done, total);
    },
    end: () => progress?.end(),
  };
}

/** Pieces of a text, counted by their bytes. */
export async function* countedText(context: CommandContext, pieces: AsyncIterable<string>): AsyncGenerator<string> {
  const progress = await context.startProgress('bytes');
  let done = 0;
  try {
    for await (const piece of pieces) {
      done += Buffer.byteLength(piece);
      progress.at(done, undefined);
      yield piece;
    }
  } finally {
    progress.end();
  }
}
