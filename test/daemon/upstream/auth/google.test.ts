import { createPrivateKey } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { unsigned } from '../../../../daemon/gateway/attempt-failure.ts';
import { SideCallFailed } from '../../../../daemon/gateway/side-call.ts';
import { GoogleSigner, readGoogleKey, signStatement } from '../../../../daemon/upstream/auth/google.ts';
import { TokenCache } from '../../../../daemon/upstream/auth/token-cache.ts';

const test = suite('Google credentials');

/** The example key of RFC 7515, appendix A.2. */
const exampleKey = {
  kty: 'RSA',
  n:
    'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0B' +
    'm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5' +
    'z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7' +
    'aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ',
  e: 'AQAB',
  d:
    'Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2N' +
    'XOoAJe46sui395IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M' +
    '_V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x' +
    '_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ',
  p:
    '4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py' +
    '5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUc',
  q:
    'uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQ' +
    'eZD_YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdc',
  dp:
    'BwKfV3Akq5_MFZDFZCnW-wzl-CCo83WoZvnLQwCTeDv8uzluRSnm71I3QCLdhrqE2e9YkxvuxdBfpT_PI7Yz-FOKnu' +
    '1R6HsJeDCjn12Sk3vmAktV2zb34MCdy7cpdTh_YVr7tss2u6vneTwrA86rZtu5Mbr1C1XsmvkxHQAdYo0',
  dq:
    'h_96-mK1R_7glhsum81dZxjTnYynPbZpHziZjeeHcXYsXaaMwkOlODsWa7I9xXDoRwbKgB719rrmI2oKr6N3Do9U0a' +
    'jaHF-NKJnwgjMd2w9cjz3_-kyNlxAr2v4IKhGNpmM5iIgOS1VZnOZ68m6_pbLBSp3nssTdlqvd0tIiTHU',
  qi:
    'IYd7DHOhrWvxkwPQsRM2tOgrjbcrfvtQJipd-DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd_QJQ3ydy5cY' +
    '7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp_gh6A5603k2-ZQwVK0JKSHuLFkuQ3U',
};
const privateKey = createPrivateKey({ key: exampleKey, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' });
const account = {
  type: 'service_account',
  project_id: 'example-project',
  private_key_id: 'test-key-1',
  private_key: String(privateKey),
  client_email: 'tollgate-test@example-project.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
};
const statement = [
  'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6InRlc3Qta2V5LTEifQ',
  'eyJpc3MiOiJ0b2xsZ2F0ZS10ZXN0QGV4YW1wbGUtcHJvamVjdC5pYW0uZ3NlcnZpY2VhY2NvdW50LmNvbSIsInNjb3BlIjoiaHR0cHM6Ly93d3cuZ29vZ2xlYXBpcy5jb20vYXV0aC9jbG91ZC1wbGF0Zm9ybSIsImF1ZCI6Imh0dHBzOi8vb2F1dGgyLmdvb2dsZWFwaXMuY29tL3Rva2VuIiwiaWF0IjoxNzY4NDgwMjAwLCJleHAiOjE3Njg0ODM4MDB9',
  'kgzAy1xYnd9gDYpOvn0MsY_BhHiadRW-WyKYFClY92sT26eVdMA8EFjuHcQR3fF_DKe2bjvAiPkvUXmWxCaXcsNF51JT0WoshLNBFZVTdWYC81D78nv31NXfuLT1tZ5m9gUh-brOf2dpykW1LNZxDBH0XXF79C5y5U9tfsU4Lr8keKSQHXILogVZFTJ9KFBMw5n2m-0z_7KdyRFqPQEFT4atFkfMCneRUZhqOLJ-kGDlx4OPmgl2qRsrlBzOCJMiKHu0sv4KL9sHMISsi0hKT9ISjygJv7MMacpMTryUXCPAZQwNJQO2DxQwN9X8FRIi-PsbzPi4QsAQfaEJ9ObVNw',
].join('.');
const nowSeconds = 1_768_480_200;

test('a service account signs the statement of the known answer, however its key was pasted', async () => {
  for (const mangled of [
    account.private_key,
    account.private_key.replaceAll('\n', '\\n'),
    account.private_key.replaceAll('\n', ' '),
  ]) {
    const key = readGoogleKey(JSON.stringify({ ...account, private_key: mangled }));
    assert.ok(key?.kind === 'service-account');
    assert.is(await signStatement(key, nowSeconds), statement);
  }
});

test('one token serves all calls until it ends', async () => {
  const asked: string[] = [];
  const signer = new GoogleSigner({
    call: async ({ url, body }) => {
      asked.push(`${url} ${body?.toString()}`);
      return { access_token: 'ya29.token...', expires_in: 3599, token_type: 'Bearer' };
    },
    tokens: new TokenCache(() => 0),
    now: () => nowSeconds * 1000,
  });
  const draft = { method: 'POST', url: 'https://h/x', headers: [], body: undefined };
  const text = JSON.stringify(account);
  const signed = await Promise.all([signer.sign(draft, text), signer.sign(draft, text)]);
  for (const { headers } of signed) assert.equal(headers, ['authorization', 'Bearer ya29.token...']);
  const form = `grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=${statement}`;
  assert.equal(asked, [`${account.token_uri} ${form}`]);
});

test('a clock that is wrong speaks against no key, a signature that is refused does', async () => {
  const judged = async (error_description: string) => {
    const answer = JSON.stringify({ error: 'invalid_grant', error_description });
    const call = () => Promise.reject(new SideCallFailed('status 400', 400, { answer }));
    const signer = new GoogleSigner({ call, tokens: new TokenCache(() => 0), now: () => nowSeconds * 1000 });
    const draft = { method: 'POST', url: 'https://h/x', headers: [], body: undefined };
    const refused = await signer.sign(draft, JSON.stringify(account)).catch((error: unknown) => error);
    return unsigned({ adapter: { id: 'vertex' } }, refused).failure.fields;
  };
  const early = 'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.';
  const { health, operatorText } = await judged(early);
  assert.is(health, 'none');
  assert.match(operatorText, /a clock is wrong$/);
  assert.is((await judged('Invalid JWT Signature.')).health, 'hard');
});

test('an API key goes as it is, with or without its project', async () => {
  const call = () => Promise.reject(new Error('not asked'));
  const signer = new GoogleSigner({ call, tokens: new TokenCache(() => 0), now: () => 0 });
  const draft = { method: 'POST', url: 'https://h/x', headers: [], body: undefined };
  assert.equal((await signer.sign(draft, 'AIzaX')).headers, ['x-goog-api-key', 'AIzaX']);
  assert.equal((await signer.sign(draft, 'p1|AIzaX')).headers, ['x-goog-api-key', 'AIzaX']);
  assert.is(readGoogleKey('{"client_email":"x"}'), undefined);
  assert.is(readGoogleKey('{'), undefined);
});

test.run();
