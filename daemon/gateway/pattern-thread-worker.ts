/** The thread that looks through long prompts for patterns. */
import { type MessagePort, parentPort } from 'node:worker_threads';
import { SensitivePatterns } from '../domain/sensitive-patterns.ts';

export interface PatternReply {
  readonly id: number;
  readonly line: string | undefined;
}

interface PatternQuestion {
  readonly id: number;
  readonly lines: readonly string[];
  readonly texts: readonly string[];
}

function answerTo(port: MessagePort): void {
  let known = '';
  let patterns = new SensitivePatterns([]);
  port.on('message', ({ id, lines, texts }: PatternQuestion) => {
    // Mostly those of the prompt before: to compile a hundred takes longer than to look for them.
    const asked = lines.join('\n');
    if (asked !== known) patterns = new SensitivePatterns(lines);
    known = asked;
    port.postMessage({ id, line: patterns.find(texts) } satisfies PatternReply);
  });
}

if (parentPort !== null) answerTo(parentPort);
