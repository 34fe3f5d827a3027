/**
 * Every recorded stream sent through the native lane, cut in many ways: the bytes come out as they went in but for
 * what the contract takes out or adds, and the usage is found.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mergeUsage, type Usage } from '../../daemon/relay/canonical/usage.ts';
import { asList, asObject, parseJson } from '../../daemon/relay/formats/fields.ts';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { StreamEvent } from '../../daemon/relay/native-events.ts';
import type { StreamProfile } from '../../daemon/relay/native-profile.ts';
import { streamProfiles } from '../../daemon/relay/native-profiles.ts';
import { NativeStream, type NativeStreamOptions } from '../../daemon/relay/native-stream.ts';
import { frame, readStream, recordedCases } from './cases.ts';

const test = suite('recorded streams on the native lane');

function pass(profile: StreamProfile, bytes: Buffer, size: number, options: Partial<NativeStreamOptions> = {}) {
  const stream = new NativeStream({
    profile,
    hideUsage: false,
    model: 'the-model',
    renameModel: false,
    promptTokens: () => 7,
    ...options,
  });
  const out: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += size) {
    const piece = stream.push(Buffer.from(bytes.subarray(start, start + size)));
    if (piece !== undefined) out.push(Buffer.from(piece));
  }
  const rest = stream.end();
  if (rest !== undefined) out.push(rest);
  return { stream, bytes: Buffer.concat(out) };
}

function eventOf(text: string): StreamEvent {
  const bytes = Buffer.from(text);
  return new StreamEvent(bytes, { start: 0, end: bytes.length });
}

/** The stream as the contract wants it passed on: no comments, nothing from the first error on. */
function expected(profile: StreamProfile, bytes: Buffer): { text: string; usage: Usage | undefined; fails: boolean } {
  let text = '';
  let usage: Usage | undefined;
  const readUsage = profile.usageReader();
  for (const event of bytes.toString().replace(/\r\n/g, '\n').split('\n\n')) {
    const kept = event.split('\n').filter((line) => line !== '' && !line.startsWith(':'));
    if (kept.length === 0) continue;
    const data = kept.filter((line) => line.startsWith('data:')).map((line) => line.replace(/^data: ?/, ''));
    const json = asObject(parseJson(data.join('\n')));
    if (json !== undefined && profile.isError(eventOf(event))) return { text, usage, fails: true };
    const found = json && readUsage(json);
    if (found !== undefined) usage = mergeUsage(usage, found);
    if (data[0] === '[DONE]' && profile.endMark === undefined) continue;
    text += `${kept.join('\n').replace('[DONE] ', '[DONE]')}\n\n`;
  }
  return { text, usage, fails: false };
}

/** The client asked for usage and the upstream sent none: the one event that is added, known by its prompt. */
function withoutEstimate(text: string): string {
  return text.replace(/data: [^\n]*"choices":\[\],"usage":\{"prompt_tokens":7,[^\n]*\n\n(?=data: \[DONE\])/, '');
}

/** What the reports among the events come to. */
function mergedUsage(profile: StreamProfile, events: readonly JsonObject[]): Usage | undefined {
  const readUsage = profile.usageReader();
  return events
    .flatMap((event) => readUsage(event) ?? [])
    .reduce<Usage | undefined>((sum, found) => mergeUsage(sum, found), undefined);
}

/** Events without every report of usage but the last, as a client is shown them that asked for usage. */
function withLastReport(profile: StreamProfile, text: string) {
  const told = frame(Buffer.from(text), text.length).map((event) => asObject(parseJson(event.data)));
  const events = told.filter((event) => event !== undefined);
  const isReport = (event: JsonObject) => profile.usageReader()(event) !== undefined;
  const last = events.findLastIndex(isReport);
  const isFound = last < 0 || asObject(events[last]?.usage) !== undefined;
  const shown = events.flatMap((event, at): JsonObject[] => {
    if ((at === last && isFound) || !isReport(event)) return [event];
    if (asList(event.choices).length === 0) return [];
    const { usage: _, x_groq, ...rest } = event;
    const { usage: __, ...groq } = asObject(x_groq) ?? {};
    return [x_groq === undefined ? rest : { ...rest, x_groq: groq }];
  });
  if (!isFound) {
    // Where clients do not look for it: it is told once more, in an event of its own.
    const { id = null, object = null, created = null, model = null } = events[0] ?? {};
    shown.push({ id, object, created, model, choices: [], usage: asObject(events[last]?.x_groq)?.usage ?? null });
  }
  return { events: shown, reports: events.filter(isReport).length, isFound };
}

for (const one of recordedCases()) {
  const profile = streamProfiles.find((entry) => entry.format === one.format);
  const bytes = readStream(one);
  if (profile === undefined || bytes === undefined || one.status >= 400) continue;
  const wanted = expected(profile, bytes);

  test(`${one.name} passes as it came`, () => {
    for (const size of bytes.length < 20_000 ? [1, 17, 1000, bytes.length] : [333, 16_384, bytes.length]) {
      const { stream, bytes: out } = pass(profile, bytes, size);
      assert.is(stream.error !== undefined, wanted.fails);
      assert.equal(stream.usage(), wanted.usage);
      const passed = out.toString().replace(/\n{3,}/g, '\n\n');
      const text = wanted.usage === undefined ? withoutEstimate(passed) : passed;
      const { events, reports, isFound } = withLastReport(profile, wanted.text);
      if (profile.usageOnRequest && (reports > 1 || !isFound)) {
        assert.equal(withLastReport(profile, text).reports, 1);
        assert.equal(withLastReport(profile, text).events, events);
        assert.equal(mergedUsage(profile, events), wanted.usage);
        assert.ok(text.endsWith('\n\ndata: [DONE]\n\n'));
      } else if (!stream.isComplete || wanted.text.endsWith('[DONE]\n\n') || profile.endMark === undefined) {
        assert.is(text, wanted.text);
      } else {
        assert.ok(text.startsWith(wanted.text));
        assert.ok(text.endsWith('\n\ndata: [DONE]\n\n'));
      }
    }
  });

  if (profile.usageOnRequest) {
    test(`${one.name} hides its usage and nothing else`, () => {
      for (const size of [777, bytes.length]) {
        const { stream, bytes: out } = pass(profile, bytes, size, { hideUsage: true });
        assert.equal(stream.usage(), wanted.usage);
        const shown = frame(out, out.length).map((event) => asObject(parseJson(event.data)));
        const came = frame(Buffer.from(wanted.text), bytes.length).map((event) => asObject(parseJson(event.data)));
        assert.ok(shown.every((event) => event === undefined || !asObject(event.usage)));
        const withChoices = (events: typeof came) =>
          events.filter((event) => asList(event?.choices).length > 0).map((event) => asList(event?.choices));
        const strip = (choices: unknown) => JSON.stringify(choices).replace(/,"usage":\{[^}]*\}/, '');
        assert.equal(withChoices(shown).map(strip), withChoices(came).map(strip));
      }
    });
  }

  test(`${one.name} can be ended by an error at any time`, () => {
    const error = { status: 502, type: 'upstream_error', code: 'upstream_eof', message: 'broke', param: null };
    const stream = new NativeStream({
      profile,
      hideUsage: true,
      model: 'the-model',
      renameModel: false,
      promptTokens: () => 7,
      requestId: 'the-request',
    });
    stream.push(Buffer.from(bytes.subarray(0, Math.floor(bytes.length * 0.6))));
    const last = frame(stream.fail(error), 1_000_000).at(-1);
    const json = asObject(parseJson(last?.data ?? ''));
    if (profile.format === 'openai-responses') {
      assert.is(json?.type, 'response.failed');
      assert.equal(asObject(json?.response)?.error, { code: 'upstream_eof', message: 'broke' });
    } else if (profile.format === 'anthropic-messages') {
      assert.is(last?.event, 'error');
      const shown = { type: 'api_error', message: 'broke' };
      assert.equal(json, { type: 'error', error: shown, request_id: 'the-request' });
    } else if (profile.format === 'gemini-generate') {
      assert.equal(json, { error: { code: 502, message: 'broke', status: 'INTERNAL' } });
    } else {
      assert.equal(json, { error: { message: 'broke', type: 'upstream_error', param: null, code: 'upstream_eof' } });
    }
  });
}

test('a field behind the payload stays when usage is hidden', () => {
  const [profile] = streamProfiles;
  assert.ok(profile);
  const bytes = Buffer.from('data: {"choices":[{"index":0}],"usage":{"total_tokens":1}}\nid: 7\n\n');
  const out = pass(profile, bytes, 5, { hideUsage: true }).bytes.toString();
  assert.is(out, 'data: {"choices":[{"index":0}]}\nid: 7\n\n');
});

test.run();
