/**
 * The usage of every recorded answer that the native lane may pass, against what its vendor reported.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Usage } from '../../daemon/relay/canonical/usage.ts';
import { asNumber, asObject, parseJson } from '../../daemon/relay/formats/fields.ts';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { isNativeAnswer, readNativeAnswer } from '../../daemon/relay/native-answer.ts';
import { streamProfiles } from '../../daemon/relay/native-profiles.ts';
import { NativeStream } from '../../daemon/relay/native-stream.ts';
import { type RecordedCase, readResponse, readStream, recordedCases } from './cases.ts';

const test = suite('recorded usage');

/** The vendor's own object, as the collection noted it. */
function reportedUsage(one: RecordedCase): JsonObject | undefined {
  const line = readFileSync(join(one.folder, 'about.md'), 'utf8')
    .split('\n')
    .find((text) => text.startsWith('- usage: '));
  return line === undefined ? undefined : asObject(parseJson(line.slice('- usage: '.length)));
}

function readUsage(one: RecordedCase): Usage | undefined {
  const profile = streamProfiles.find((entry) => entry.format === one.format);
  const bytes = readStream(one);
  if (bytes !== undefined && profile !== undefined) {
    const options = { profile, hideUsage: false, model: 'm', renameModel: false, promptTokens: () => 0 };
    const stream = new NativeStream(options);
    stream.push(Buffer.from(bytes));
    stream.end();
    return stream.usage();
  }
  const body = readResponse(one);
  const format = formats.find((name) => name === one.format);
  if (body === undefined || format === undefined) return undefined;
  const answer = readNativeAnswer(Buffer.from(JSON.stringify(body)), {
    format,
    model: 'm',
    renameModel: false,
    promptTokens: () => 0,
  });
  return isNativeAnswer(answer) ? answer.usage() : undefined;
}

const formats = [
  'openai-chat',
  'openai-completions',
  'openai-embeddings',
  'openai-moderations',
  'openai-responses',
  'openai-responses-compact',
] as const;

/** Gemini's compatible address counts thoughts in the total and nowhere else; its own format is used instead. */
const totalsWithHiddenThoughts = new Set([
  'gemini/oa-chat--compatible-api-with-tool-calls-without-id',
  'gemini/oa-chat--compatible-api-with-tool-calls-without-id-1',
]);

/** Answers that say they are more thought than they are long, and what their hosts billed by their own word. */
const billedCompletions: Readonly<Record<string, number>> = {
  'openrouter/oa-chat--deepseek-deepseek-v3-1-terminus-streaming-stream': 289,
  'vercel-gateway/oa-chat--gemini-2-5-flash-tool-streaming-stream': 53,
};

for (const [name, billed] of Object.entries(billedCompletions)) {
  test(`${name} is charged as its host charges it`, () => {
    const one = recordedCases().find((entry) => entry.name === name);
    assert.ok(one);
    assert.is(readUsage(one)?.completion, billed);
  });
}

for (const one of recordedCases()) {
  const reported = reportedUsage(one);
  if (reported === undefined || one.status >= 400 || !formats.some((name) => name === one.format)) continue;

  test(`${one.name} is read as reported`, () => {
    const usage = readUsage(one);
    const total = asNumber(reported.total_tokens) ?? 0;
    const prompt = asNumber(reported.prompt_tokens) ?? asNumber(reported.input_tokens) ?? 0;
    if (total === 0 && prompt === 0) {
      assert.is(usage, undefined);
      return;
    }
    assert.ok(usage);
    assert.ok(usage.cached <= usage.prompt, 'what was cached was read');
    assert.ok(usage.reasoning <= usage.completion, 'what was thought was written');
    // Some vendors leave out of the prompt what was cached or heard.
    const beside = (usage.cached > prompt ? usage.cached : 0) + (usage.promptAudio > prompt ? usage.promptAudio : 0);
    assert.is(usage.prompt, prompt === 0 ? total - usage.completion : prompt + beside);
    if (total > 0 && one.format !== 'openai-embeddings' && !totalsWithHiddenThoughts.has(one.name)) {
      const counted = usage.prompt + usage.completion;
      const known = [counted, counted - usage.reasoning, counted - usage.cached];
      assert.ok(known.includes(total), `${counted} of ${total}`);
    }
  });
}

test.run();
