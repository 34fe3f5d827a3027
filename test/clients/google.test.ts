/**
 * Gemini CLI and Google's package: client cases C24 to C27 and C39 of requirements.md.
 * Runs once: what a client sends and reads is the same on every database.
 */
import { GoogleGenAI, type Part } from '@google/genai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  balanceOf,
  type ClientWorld,
  everyModel,
  models,
  startClientWorld,
  stopClientWorld,
} from '../support/client-world.ts';
import { jsonAnswer } from '../support/fake-upstream.ts';
import { bodyOf, saying } from '../support/speaking-upstream.ts';

const google = suite<ClientWorld>('Gemini CLI');

const declared = {
  name: 'read_file',
  description: 'Reads a file',
  parametersJsonSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

function client({ daemon, key }: ClientWorld): GoogleGenAI {
  return new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: daemon.url } });
}

google.before(async (world) => {
  Object.assign(world, await startClientWorld({ 'log.level': 'debug' }));
});
google.after(stopClientWorld);

for (const model of everyModel) {
  google(`C24: uses all four paths with ${model}`, async (world) => {
    const { upstream } = world;
    upstream.script((request, index) => {
      if (request.url.includes(':countTokens')) return jsonAnswer({ totalTokens: 7 });
      return saying({ text: 'pong' })(request, index);
    });
    const ai = client(world);
    const whole = await ai.models.generateContent({ model, contents: 'hi', config: { systemInstruction: 'be brief' } });
    assert.equal([whole.text, whole.usageMetadata?.candidatesTokenCount], ['pong', 5]);
    assert.ok(upstream.requests.at(-1)?.body.includes('be brief'));
    let text = '';
    for await (const piece of await ai.models.generateContentStream({ model, contents: 'hi' }))
      text += piece.text ?? '';
    assert.is(text, 'pong');
    const counted = await ai.models.countTokens({ model, contents: 'how many tokens are these' });
    if (model === models.gemini) assert.is(counted.totalTokens, 7);
    else assert.ok((counted.totalTokens ?? 0) > 2 && (counted.totalTokens ?? 0) < 30);
    const names: unknown[] = [];
    for await (const { name } of await ai.models.list()) names.push(name);
    assert.equal(
      names,
      [...everyModel].sort().map((name) => `models/${name}`),
    );
  });

  google(`C27, C39: calls a function and replays its signature with ${model}`, async (world) => {
    const { upstream } = world;
    const signature = Buffer.from('what Google signed').toString('base64');
    upstream.script(
      saying({
        reasoning: { text: 'I need the file', signature },
        calls: [
          { id: 'call_1', name: 'read_file', args: { path: '/a' } },
          { id: 'call_2', name: 'read_file', args: { path: '/b' } },
        ],
      }),
    );
    const ai = client(world);
    const config = { tools: [{ functionDeclarations: [declared] }], thinkingConfig: { includeThoughts: true } };
    const parts: Part[] = [];
    const stream = await ai.models.generateContentStream({ model, contents: 'read both', config });
    for await (const piece of stream) parts.push(...(piece.candidates?.[0]?.content?.parts ?? []));
    const calls = parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]));
    assert.equal(
      calls.map(({ name, args }) => [name, args]),
      [
        ['read_file', { path: '/a' }],
        ['read_file', { path: '/b' }],
      ],
    );
    upstream.script(saying({ text: 'both read' }));
    const results = calls.map(({ id, name }, at) => ({
      functionResponse: { ...(id === undefined ? {} : { id }), name: name ?? '', response: { output: `text ${at}` } },
    }));
    const done = await ai.models.generateContent({
      model,
      contents: [
        { role: 'user', parts: [{ text: 'read both' }] },
        { role: 'model', parts },
        { role: 'user', parts: results },
      ],
      config,
    });
    assert.is(done.text, 'both read');
    const sent = JSON.stringify(bodyOf(upstream.requests.at(-1)));
    assert.ok(sent.includes('text 0') && sent.includes('text 1') && sent.indexOf('text 0') < sent.indexOf('text 1'));
    if (model === models.gemini || model === models.messages) assert.ok(sent.includes(signature), sent);
  });
}

google('C25: signs in by header or query, and the query’s key is in no log', async (world) => {
  const { daemon, key, upstream } = world;
  upstream.script(saying({ text: 'pong' }));
  const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] });
  const json = { 'content-type': 'application/json' };
  for (const model of everyModel) {
    const path = `${daemon.url}/v1beta/models/${model}:generateContent`;
    const byHeader = await fetch(path, { method: 'POST', headers: { ...json, 'x-goog-api-key': key }, body });
    const byQuery = await fetch(`${path}?key=${key}`, { method: 'POST', headers: json, body });
    assert.equal([byHeader.status, byQuery.status], [200, 200], model);
  }
  await fetch(`${daemon.url}/v1beta/models?key=${key}`);
  upstream.script(jsonAnswer({ error: { message: 'no', status: 'INVALID_ARGUMENT' } }, 400));
  await fetch(`${daemon.url}/v1beta/models/${models.gemini}:generateContent?key=${key}`, {
    method: 'POST',
    headers: json,
    body,
  });
  await fetch(`${daemon.url}/api/status?key=${key}`);
  assert.ok(daemon.log.some((line) => line.includes('/api/status?key=***')));
  assert.is(daemon.log.filter((line) => line.includes(key)).length, 0);
  await balanceOf(world);
  const { items } = await daemon.root.logs.list({ page_size: 1000 });
  assert.ok(items.length >= 2 * everyModel.length);
  assert.not.match(JSON.stringify(items), key);
  assert.ok(upstream.requests.every(({ url }) => !url.includes(key)));
});

google('C26: may double a slash', async ({ daemon, key, upstream }) => {
  upstream.script(saying({ text: 'pong' }));
  for (const model of everyModel) {
    const response = await fetch(`${daemon.url}//v1beta/models/${model}:generateContent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': key },
      body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }),
    });
    assert.is(response.status, 200, model);
  }
});

google.run();
