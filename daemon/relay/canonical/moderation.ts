/** Moderation between the formats: texts and images in, verdicts out (relay.md 5.9). */
import { TollgateError } from '../../errors.ts';
import type { JsonObject } from '../json.ts';
import { splitInputs } from './inputs.ts';
import { sumUsage, type Usage } from './usage.ts';

/** What one verdict is about: a text, or texts and images that belong together, in the words of OpenAI's parts. */
export type ModerationInput =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'parts'; readonly parts: readonly JsonObject[] };

export interface ModerationRequest {
  readonly model: string;
  readonly inputs: readonly ModerationInput[];
  /** Names of members that only the client's dialect knows. */
  readonly unsaid: readonly string[];
}

export interface ModerationVerdict {
  readonly flagged: boolean;
  /** What was found, by name, and how sure the vendor is, 0 to 1. */
  readonly found: Readonly<Record<string, number>>;
}

export interface ModerationAnswer {
  readonly id?: string;
  /** In the order of the inputs. */
  readonly verdicts: readonly ModerationVerdict[];
  readonly usage: Usage | undefined;
}

/** Requests that one call may come to. */
const mostPieces = 128;

/** Inputs in groups of at most so many. Throws `convert_request_failed` where that would be too many groups. */
export function splitModeration(asked: ModerationRequest, atOnce: number): ModerationRequest[] {
  if (asked.inputs.length > mostPieces * atOnce) {
    const reason = `input: this model takes at most ${mostPieces * atOnce} texts in one call`;
    throw new TollgateError('convert_request_failed', { reason }, { field: 'input' });
  }
  return splitInputs(asked, atOnce);
}

/** The verdicts in the order of the inputs, under the first answer's name. */
export function joinVerdicts(said: readonly ModerationAnswer[]): ModerationAnswer {
  const verdicts = said.flatMap((one) => one.verdicts);
  return { ...said[0], verdicts, usage: sumUsage(said.map(({ usage }) => usage)) };
}
