/** Anthropic's question how many tokens a request has, towards clients. */
import { type ClientCallFormat, jsonAnswer } from '../../call-format.ts';
import type { CountAnswer, CountRequest } from '../../canonical/count.ts';
import { emptyUsage } from '../../canonical/usage.ts';
import { asWord } from '../fields.ts';

export const anthropicCount: ClientCallFormat<CountRequest, CountAnswer> = {
  id: 'anthropic-messages',

  decodeRequest({ model, ...body }) {
    return { model: asWord(model) ?? '', body };
  },

  // Counting consumes nothing.
  encodeAnswer: ({ tokens }) => jsonAnswer({ input_tokens: tokens }, { usage: emptyUsage() }),
};
