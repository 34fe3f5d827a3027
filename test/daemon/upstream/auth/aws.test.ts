import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AwsSigner, readAwsKey } from '../../../../daemon/upstream/auth/aws.ts';

const test = suite('AWS credentials');
const id = 'AKIDEXAMPLE';
const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const signer = new AwsSigner(() => Date.UTC(2026, 0, 15, 12, 30));
const body = Buffer.from(
  '{"anthropic_version":"bedrock-2023-05-31","max_tokens":16,"messages":[{"role":"user","content":"Hi"}]}',
);

function headersOf(list: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < list.length; at += 2) headers.set(list[at] ?? '', list[at + 1] ?? '');
  return headers;
}

test('a call is signed as the vendor vectors say', async () => {
  const model = 'us.anthropic.claude-sonnet-4-5-20250929-v1%3A0';
  const url = `https://bedrock-runtime.us-east-1.amazonaws.com/model/${model}/invoke`;
  const headers = ['content-type', 'application/json', 'user-agent', 'Tollgate/1', 'accept', 'application/json'];
  const settings = { service: 'bedrock', region: 'us-east-1' };
  const signed = await signer.sign({ method: 'POST', url, headers, body }, `${id}|${secret}|us-east-1`, settings);
  const sent = headersOf(signed.headers);
  assert.is(signed.url, url);
  assert.is(sent.get('x-amz-date'), '20260115T123000Z');
  assert.is(sent.get('user-agent'), 'Tollgate/1');
  assert.is(
    sent.get('authorization'),
    `AWS4-HMAC-SHA256 Credential=${id}/20260115/us-east-1/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=e8b5d39d4d5df5177fc9666fbd6461eaf1a0dbf5c6d3a754b85197e5a79fa900`,
  );
});

test('a session token and a resource name are part of the signature', async () => {
  const arn = encodeURIComponent(
    'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  );
  const url = `https://bedrock-runtime.eu-west-1.amazonaws.com/model/${arn}/invoke-with-response-stream`;
  const headers = ['content-type', 'application/json', 'x-amzn-bedrock-accept', 'application/json'];
  const key = `${id}|${secret}|eu-west-1|FwoGZXIvYXdzEXAMPLETOKEN`;
  const settings = { service: 'bedrock', region: 'eu-west-1' };
  const signed = await signer.sign({ method: 'POST', url, headers, body }, key, settings);
  const authorization = headersOf(signed.headers).get('authorization') ?? '';
  assert.match(authorization, 'content-type;host;x-amz-date;x-amz-security-token;x-amzn-bedrock-accept');
  assert.match(authorization, 'f41d6f944768d9b5834a9705ea1345fcf7e0126759f758412e65fc6fd5dcb6c0');
});

test("the service that speaks its guests' dialects signs their headers", async () => {
  const text = '{"model":"anthropic.claude-haiku-4-5","max_tokens":16,"messages":[{"role":"user","content":"Hi"}]}';
  const url = 'https://bedrock-mantle.us-east-1.api.aws/anthropic/v1/messages';
  const headers = ['content-type', 'application/json', 'anthropic-version', '2023-06-01'];
  const settings = { service: 'bedrock-mantle', region: 'us-east-1' };
  const draft = { method: 'POST', url, headers, body: Buffer.from(text) };
  const signed = await signer.sign(draft, `${id}|${secret}|us-east-1`, settings);
  const authorization = headersOf(signed.headers).get('authorization') ?? '';
  assert.match(authorization, 'SignedHeaders=anthropic-version;content-type;host;x-amz-date');
  assert.match(authorization, '3c57cb03520b6d504bd7f8f5076a6f546c93a42e11e1c6a11edc8e0935bac68f');
  const borne = await signer.sign(draft, 'ABSKkey|us-east-1', settings);
  assert.equal(borne.headers.slice(-2), ['x-api-key', 'ABSKkey']);
});

test('a bearer key signs nothing', async () => {
  const draft = { method: 'POST', url: 'https://h/x', headers: ['content-type', 'application/json'], body };
  const signed = await signer.sign(draft, 'ABSKkey|us-east-1', {});
  assert.equal(signed.headers, ['content-type', 'application/json', 'authorization', 'Bearer ABSKkey']);
});

test('keys are read in every order that operators use', () => {
  const signing = { kind: 'signing', id: 'AKIAABCDEFGHIJKLMNOP', secret: 's', region: 'eu-west-1', session: undefined };
  assert.equal(readAwsKey('AKIAABCDEFGHIJKLMNOP|s|eu-west-1'), signing);
  assert.equal(readAwsKey('eu-west-1|AKIAABCDEFGHIJKLMNOP|s'), signing);
  assert.equal(readAwsKey('eu-west-1|AKIAABCDEFGHIJKLMNOP|s|t'), { ...signing, session: 't' });
  assert.equal(readAwsKey('ABSKx | us-gov-west-1'), { kind: 'bearer', token: 'ABSKx', region: 'us-gov-west-1' });
  assert.equal(readAwsKey('us-east-1|ABSKx'), { kind: 'bearer', token: 'ABSKx', region: 'us-east-1' });
  assert.is(readAwsKey('one'), undefined);
  assert.is(readAwsKey('lower case|s|us-east-1'), undefined);
});

test.run();
