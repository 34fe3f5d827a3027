/** Refuses prompts with words that this installation does not let through (relay.md 17.6). */
import { SensitiveWordsCache } from '../domain/sensitive-words.ts';
import { TollgateError } from '../errors.ts';
import { promptTexts } from '../relay/prompt-texts.ts';
import type { WordFilter } from './admit.ts';
import { PatternThread } from './pattern-thread.ts';

/** A refused prompt, for the administrator's log only: the line of the word list, never the prompt. */
export interface WordHit {
  readonly requestId: string;
  readonly line: string;
}

/**
 * @param noteHit told of every refusal
 * @param report told when the thread for long prompts failed
 */
export function sensitiveWordFilter(noteHit: (hit: WordHit) => void, report: (error: unknown) => void): WordFilter {
  const thread = new PatternThread(report);
  const cache = new SensitiveWordsCache((asked) => thread.find(asked));
  return {
    close: () => thread.close(),
    check(exchange, { json }) {
      const judge = (line: string | undefined): void => {
        if (line === undefined) return;
        noteHit({ requestId: exchange.id, line });
        throw new TollgateError('sensitive_words_detected');
      };
      const found = cache.of(exchange.view.options)?.find(promptTexts(exchange.endpoint.format, json));
      return found instanceof Promise ? found.then(judge) : judge(found);
    },
  };
}
