/**
 * Texts that callers and upstreams choose, of any length, are read in a time that grows with them and no faster. A
 * pattern that looks through a text from each of its places would hold up every other call for minutes.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { askedIn } from '../../daemon/relay/conversation-texts.ts';
import { maskText } from '../../daemon/relay/failure-mask.ts';
import { srtOf } from '../../daemon/relay/formats/openai-transcription/subtitles.ts';
import { gemini } from '../../daemon/relay/providers/gemini/index.ts';
import { readGoogleFailure } from '../../daemon/relay/providers/google-failures.ts';
import { loadVocabulary } from '../../daemon/relay/tokens/tokenizer.ts';
import { redact } from '../../daemon/telemetry/redact.ts';
import { callOf } from '../support/adapter-calls.ts';
import { assertQuick } from '../support/processor-time.ts';

const texts = suite('long texts');

const chat = (url: string) => ({
  messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
});

texts('of addresses that are no data are kept as they are', async () => {
  const url = `data:${'t'.repeat(200_000)}`;
  await assertQuick(1000, () => assert.is(askedIn('openai-chat', chat(url))?.[0]?.content, url));
  for (const data of ['data:image/png;base64,AAAA', 'data:image/png;charset=x;base64,AAAA', 'data:image/png,AAAA']) {
    assert.is(askedIn('openai-chat', chat(data))?.[0]?.content, '[image/png, 3 bytes]');
  }
});

texts('of words just short enough to be counted whole are looked through once', async () => {
  const count = await loadVocabulary('o200k_base');
  const text = `${'='.repeat(511)} `.repeat(500);
  await assertQuick(1000, () => assert.ok(count(text) > 0));
});

texts('that an upstream says of its failure are judged, masked and logged at once', async () => {
  const pieces = ['\\', 'File ', '"secret":[', 'eyJaaaaaaaa-', '"secret":["', ' (', 'a.', '"', 'CachedContent '];
  for (const piece of pieces) {
    const call = callOf(gemini);
    const told = piece.repeat(200_000 / piece.length);
    const reply = { status: 403, headers: {}, body: JSON.stringify({ error: { message: told } }), call, nowMs: 0 };
    const judge = () => {
      readGoogleFailure(reply, 'gemini');
      maskText(told, { baseUrl: 'https://api.example.com', secrets: [] });
      redact(`${told} secret`);
    };
    await assertQuick(2000, judge, piece);
  }
});

texts('of transcripts that are nothing but spaces make a subtitle at once', async () => {
  const text = `a${' '.repeat(200_000)}b\n \n c`;
  await assertQuick(1000, () => assert.match(srtOf([{ text, start: 0, end: 1 }]), / b c\n\n$/));
});

texts.run();
