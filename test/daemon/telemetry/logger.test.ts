import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger, type LogFields } from '../../../daemon/telemetry/logger.ts';
import { redact } from '../../../daemon/telemetry/redact.ts';
import { assertQuick } from '../../support/processor-time.ts';

const test = suite('logger');

const relayKey = 'Zx9Kq2Wm7Rt4Yb1Nc6Vp3Ls8Df5Gh0Jk2Aq7Se4Ud1Io6Pw3';
const canary = 'canary7Wm7Rt4Yb1Nc6Vp3';

/** The lines that a logger writes while the work runs. */
function linesOf(work: (log: ReturnType<typeof createLogger>) => void): string[] {
  const lines: string[] = [];
  work(createLogger({ level: 'debug', write: (line) => void lines.push(line) }));
  return lines;
}

const hiding: Record<string, LogFields> = {
  'a relay key': { note: `key was sk-${relayKey}` },
  'a relay key without its mark': { note: relayKey },
  'a machine token': { note: `called with tgm_${canary}` },
  'a vendor key': { note: `sk-proj-${canary}-${canary}` },
  'an Anthropic key': { note: `sk-ant-api03-${canary}` },
  'a Google key': { note: `AIza${canary}` },
  'a bearer header': { headers: { authorization: `Bearer ${canary}` } },
  'a bearer value in a message': { note: `sent Authorization: Bearer ${canary} to it` },
  'a bare authorization header': { headers: { Authorization: canary } },
  'an api key header': { headers: { 'x-api-key': canary, 'x-goog-api-key': canary } },
  'a key in a query': { url: `/v1beta/models?key=${canary}&alt=sse` },
  'a key in an address': { note: `GET https://host/models?api_key=${canary} failed` },
  'a member named key': { key: canary, token: canary },
  'a cookie': { headers: { cookie: `session=${canary}; theme=dark` } },
  'several set-cookie values': { headers: { 'set-cookie': [`session=${canary}; path=/`, `other=${canary}`] } },
  'a password member': { body: { username: 'root', password: canary } },
  'a password with quotes in it': { body: { password: `a"b\\"${canary}` } },
  'a password inside a JSON text': { body: JSON.stringify({ password: canary, original_password: canary }) },
  'a password inside JSON inside JSON': { body: JSON.stringify({ text: JSON.stringify({ secret: canary }) }) },
  'a form body': { body: `grant_type=code&client_secret=${canary}&x=1` },
  'a database password': { note: `cannot reach postgres://gate:${canary}@${canary}@db:5432/gate` },
  'a JSON web token': { note: `eyJhbGciOiJIUzI1NiJ9.${canary}.${canary}` },
  'a private key': { note: `-----BEGIN PRIVATE KEY-----\n${canary}\n-----END PRIVATE KEY-----` },
  'an error text': { err: new Error(`401 for key sk-${canary}`) },
  'the cause of an error': { err: new Error('failed', { cause: new Error(`password=${canary}`) }) },
  'members that a library hangs on its errors': {
    err: Object.assign(new Error('failed'), { config: { headers: { 'x-odd': canary } } }),
  },
};

for (const [what, fields] of Object.entries(hiding)) {
  test(`hides ${what}`, () => {
    const [line = ''] = linesOf((log) => log.error(fields, 'something happened'));
    assert.not.match(line, canary);
    assert.not.match(line, relayKey);
    const parsed: unknown = JSON.parse(line);
    assert.type(parsed, 'object');
  });
}

test('hides what stands in the message itself', () => {
  const [line = ''] = linesOf((log) => log.warn({}, `login with password=${canary} failed`));
  assert.match(line, 'login with');
  assert.not.match(line, canary);
});

test('keeps the last four characters of a key, so that operators can tell keys apart', () => {
  assert.is(redact(`key sk-${relayKey} refused`), 'key sk-***6Pw3 refused');
});

test('hides the marked keys of every vendor, whatever else stands in the line', () => {
  const marks = 'sk- tgm_ pk- rk- xai- gsk_ hf_ r8_ nvapi- pplx- fw_ csk- AIza AKIA ASIA ghp_ github_pat_ glpat- ya29.';
  for (const mark of marks.split(' ')) assert.is(redact(`refused ${mark}${canary}`), `refused ${mark}***6Vp3`, mark);
});

test('hides a signed token behind a word or a short one, and every value of a header', () => {
  const token = `eyJhbGciOiJIUzI1NiJ9.${canary}.${canary}`;
  assert.is(redact(`token-${token} refused`), 'token-*** refused');
  assert.is(redact(`eyJab.${token}`), 'eyJab.***');
  for (const list of [`["a", "${canary}"]`, `[12, "b\\"${canary}"]`, `[ "${canary}" ]`, `[{"a":"${canary}"}]`]) {
    assert.is(redact(`{"set-cookie": ${list}}`), '{"set-cookie": ["***"]}', list);
  }
});

test('leaves alone what only looks secret', () => {
  for (const text of [
    'tokens: 15, keys tried 2',
    '{"kind":"option","key":"AutomaticDisableChannelEnabled","reason":"must be true or false"}',
    '{"level":"info","promptTokens":12,"tokenId":7,"keyIndex":0,"msg":"relay finished"}',
    '{"requestId":"20261121050708123456789aB3dE6gH","model":"gpt-5","channel":"task-sk"}',
    'https://api.openai.com/v1/chat/completions',
    'sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ]) {
    assert.is(redact(text), text);
  }
});

test('changes nothing when applied twice', () => {
  for (const fields of Object.values(hiding)) {
    const once = redact(JSON.stringify(fields));
    assert.is(redact(once), once);
  }
});

test('writes one JSON line with level, time, message, code and the fields of its parents', () => {
  const failure = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const [line = '', ...more] = linesOf((log) => log.child({ node: 'a' }).warn({ err: failure, n: 1 }, 'lost'));
  assert.equal(more, []);
  const parsed: unknown = JSON.parse(line);
  const { time, err, ...rest } = Object(parsed);
  assert.match(time, /^\d{4}-\d\d-\d\dT/);
  assert.is(err.code, 'ECONNREFUSED');
  assert.match(err.stack, 'logger.test');
  assert.equal(rest, { level: 'warn', node: 'a', n: 1, msg: 'lost' });
});

test('keeps to its level', () => {
  const lines: string[] = [];
  const log = createLogger({ level: 'warn', write: (line) => void lines.push(line) });
  log.info({}, 'quiet');
  log.debug({}, 'quiet');
  log.error({}, 'loud');
  assert.is(lines.length, 1);
});

test('redacts an ordinary line in a few microseconds and is not trapped by long ones', async () => {
  const line = JSON.stringify({ level: 'info', method: 'POST', url: '/v1/chat/completions', status: 200, ms: 12 });
  await assertQuick(2000, () => {
    for (let at = 0; at < 10_000; at += 1) redact(line);
  });
  await assertQuick(3000, () => {
    for (const piece of ['"key":"', 'bearer ', '\\"', 'a'.repeat(47), '://a:', '-----BEGIN ', '-eyJ', '"cookie":["\\"'])
      redact(piece.repeat(20_000));
  });
});

test.run();
