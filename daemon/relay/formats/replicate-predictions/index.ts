/** Predictions of language models on Replicate, awaited whole. Source: providers/replicate.md, read 2026-11. */
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, asObject, asObjects, asTexts, asWord } from '../fields.ts';
import { completionOf, textOfContent, usageOf, vendorChat } from '../vendor-chat.ts';
import { pendingPrediction, predictionError } from './prediction.ts';

function encode(body: JsonObject): Json {
  const system: string[] = [];
  const turns: string[] = [];
  for (const { role, content } of asObjects(body.messages)) {
    const text = textOfContent(content);
    if (role === 'system' || role === 'developer') system.push(text);
    else turns.push(`${asWord(role) ?? 'user'}: ${text}`);
  }
  const [only] = turns;
  const prompt =
    turns.length === 1 && only !== undefined ? only.replace(/^user: /, '') : `${turns.join('\n')}\nassistant:`;
  const input: JsonObject = { prompt };
  if (system.length > 0) input.system_prompt = system.join('\n');
  for (const field of ['temperature', 'top_p', 'top_k', 'presence_penalty', 'frequency_penalty']) {
    const value = body[field];
    if (value !== undefined) input[field] = value;
  }
  const limit = body.max_tokens ?? body.max_completion_tokens;
  if (limit !== undefined) input.max_tokens = limit;
  const stop = asTexts(body.stop);
  if (stop.length > 0) input.stop_sequences = stop.join(',');
  return { input };
}

function readAnswer(body: JsonObject): JsonObject {
  if (asWord(body.status) !== 'succeeded') return predictionError(body);
  const content = asTexts(body.output).join('');
  const metrics = asObject(body.metrics);
  const isCounted = asNumber(metrics?.output_token_count) !== undefined;
  return completionOf(
    { id: body.id, model: body.model },
    { content },
    {
      finish: 'stop',
      usage: isCounted ? usageOf(metrics?.input_token_count, metrics?.output_token_count) : undefined,
    },
  );
}

export const replicatePredictions = vendorChat({
  id: 'replicate-predictions',
  takes: [
    'temperature',
    'top_p',
    'top_k',
    'presence_penalty',
    'frequency_penalty',
    'max_tokens',
    'max_completion_tokens',
    'stop',
  ],
  encode,
  answer: readAnswer,
  followUp: pendingPrediction,
  // Its events are fetched from another address; the whole prediction is awaited instead.
  reader: () => ({ push: () => [] }),
});
