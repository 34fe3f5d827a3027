import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../../../daemon/errors.ts';
import { parseForm, parseJsonObject, readBody } from '../../../../daemon/http/middleware/body.ts';
import { isRefusal } from '../../../support/refusal-code.ts';

const body = suite('request body');

function request(headers: Record<string, string> = {}): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  Object.assign(message.headers, headers);
  return message;
}

async function refused(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((thrown: unknown) => thrown);
  return error instanceof TollgateError ? error.code : `not refused: ${String(error)}`;
}

body('is read in pieces up to its limit', async () => {
  const message = request();
  const reading = readBody(message, 6);
  message.push('abc');
  message.push('def');
  message.push(null);
  assert.is((await reading).toString(), 'abcdef');
});

body('is refused unread when its length says that it is too large', async () => {
  assert.is(await refused(readBody(request({ 'content-length': '7' }), 6)), 'payload_too_large');
});

body('is refused as soon as it grows too large', async () => {
  const message = request();
  const reading = refused(readBody(message, 6));
  message.push('abcdefg');
  assert.is(await reading, 'payload_too_large');
});

body('is given up when it stalls, trickles for too long or breaks off', async () => {
  assert.is(await refused(readBody(request(), 10, { idleMs: 10, totalMs: 1000 })), 'request_timeout');
  const trickle = request();
  const reading = refused(readBody(trickle, 1000, { idleMs: 1000, totalMs: 40 }));
  const drip = setInterval(() => trickle.push('.'), 5);
  assert.is(await reading, 'request_timeout');
  clearInterval(drip);
  const broken = request();
  const cut = refused(readBody(broken, 10));
  broken.destroy();
  assert.is(await cut, 'request_timeout');
});

body('counts as an empty object when there is none', () => {
  assert.equal(parseJsonObject(Buffer.from(''), 9), {});
  assert.equal(parseJsonObject(Buffer.from(' {"a":1} '), 9), { a: 1 });
});

body('is refused when it is no JSON object', () => {
  for (const text of ['{', '[]', '1', '"x"', 'null', 'a=b']) {
    assert.throws(() => parseJsonObject(Buffer.from(text), 9), isRefusal('invalid_json'));
  }
});

body('is refused when it nests so deep that walking it would exhaust the stack', () => {
  const nested = (depth: number) => Buffer.from(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`);
  assert.is(Object.keys(parseJsonObject(nested(60), 999))[0], 'a');
  for (const depth of [64, 100_000]) {
    assert.throws(() => parseJsonObject(nested(depth), 999), isRefusal('invalid_json'));
  }
});

body('is refused unparsed when it holds more values than told, of which three bytes make one', () => {
  const list = (values: number) => Buffer.from(`{"ids":[${Array(values).fill('{}').join(',')}]}`);
  assert.equal(Object.keys(parseJsonObject(list(10), 100)), ['ids']);
  assert.throws(() => parseJsonObject(list(100), 100), isRefusal('too_many_values'));
});

body('is refused as a form of very many fields, which any visitor may send', () => {
  const form = (fields: number) => Buffer.from(Array.from({ length: fields }, (_, at) => `f${at}=1`).join('&'));
  assert.is(Object.keys(parseForm(form(1000))).length, 1000);
  assert.throws(() => parseForm(form(1001)), isRefusal('too_many_values'));
});

body('is no JSON unless it is UTF-8', () => {
  assert.throws(() => parseJsonObject(Buffer.from('{"username":"\u00ff"}', 'latin1'), 9), isRefusal('invalid_json'));
  assert.equal(parseJsonObject(Buffer.from('{"username":"\u00ff"}'), 9), { username: '\u00ff' });
});

body.run();
