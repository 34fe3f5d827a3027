/** The known answers of the vendors' sheets. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BaiduIam, BaiduOauth, signBce } from '../../../../daemon/upstream/auth/baidu.ts';
import { signTc3, TencentTc3 } from '../../../../daemon/upstream/auth/tencent-tc3.ts';
import { TokenCache } from '../../../../daemon/upstream/auth/token-cache.ts';
import { signXunfeiUrl, XunfeiUrlSigner } from '../../../../daemon/upstream/auth/xunfei-url.ts';
import { ZhipuJwt, zhipuToken } from '../../../../daemon/upstream/auth/zhipu-jwt.ts';

const test = suite('signers');
const draft = (url: string, body?: string) => ({
  method: 'POST',
  url,
  headers: ['content-type', 'application/json'],
  body: body === undefined ? undefined : Buffer.from(body),
});

test('a BCE signature is the one of the sheet', () => {
  assert.is(
    signBce({
      accessKeyId: 'tollgateAccessKeyId000000000000',
      secretKey: 'tollgateSecretAccessKey00000000',
      moment: new Date('2023-11-14T22:13:20Z'),
      path: '/v1/BCE-BEARER/token',
      query: 'expireInSeconds=86400',
      host: 'iam.bj.baidubce.com',
    }),
    'bce-auth-v1/tollgateAccessKeyId000000000000/2023-11-14T22:13:20Z/1800/host/efa7b7925f0a2862e307b53d9d7c25ada594b0c547962f2468ec2a3188cd64e9',
  );
});

const ping = '{"Model":"hunyuan-lite","Messages":[{"Role":"user","Content":"ping"}],"Stream":false}';
const tc3 =
  'TC3-HMAC-SHA256 Credential=AKIDTOLLGATEEXAMPLE0000000000000000/2023-11-14/hunyuan/tc3_request, SignedHeaders=content-type;host;x-tc-action, Signature=a66e87339b4e996dc0d27906266f30c111d9dd02406eab7127f225240ba6ed7b';

test('a TC3 signature is the one of the sheet', () => {
  const signed = signTc3({
    secretId: 'AKIDTOLLGATEEXAMPLE0000000000000000',
    secretKey: 'tollgateSecretKeyExample00000000',
    service: 'hunyuan',
    action: 'ChatCompletions',
    host: 'hunyuan.tencentcloudapi.com',
    contentType: 'application/json',
    body: ping,
    timestamp: 1_700_000_000,
  });
  assert.is(signed, tc3);
});

test('a key of three parts signs the request that is sent', () => {
  const signer = new TencentTc3(() => 1_700_000_000_000);
  const key = '1250000000|AKIDTOLLGATEEXAMPLE0000000000000000|tollgateSecretKeyExample00000000';
  const settings = { service: 'hunyuan', action: 'ChatCompletions' };
  const { headers } = signer.sign(draft('https://hunyuan.tencentcloudapi.com/', ping), key, settings);
  assert.equal(headers.slice(2), ['x-tc-timestamp', '1700000000', 'authorization', tc3]);
  const spaced = signer.sign(draft('https://hunyuan.tencentcloudapi.com/', ping), key.replaceAll('|', ' | '), settings);
  assert.equal(spaced.headers, headers);
});

const spark = {
  url: 'wss://spark-api.xf-yun.com/v4.0/chat',
  apiKey: 'tollgateapikey000000000000000000',
  apiSecret: 'tollgateapisecret000000000000000',
  moment: new Date('2023-11-14T22:13:20Z'),
};
const sparkSigned =
  'wss://spark-api.xf-yun.com/v4.0/chat?authorization=YXBpX2tleT0idG9sbGdhdGVhcGlrZXkwMDAwMDAwMDAwMDAwMDAwMDAiLCBhbGdvcml0aG09ImhtYWMtc2hhMjU2IiwgaGVhZGVycz0iaG9zdCBkYXRlIHJlcXVlc3QtbGluZSIsIHNpZ25hdHVyZT0iYWZMdHlveFQzQlE1R0ZlN3pTZ0Y3MnI3MVV0amJNME9vWmh5TmpvRWQyUT0i&date=Tue%2C+14+Nov+2023+22%3A13%3A20+GMT&host=spark-api.xf-yun.com';

test("Spark's addresses are signed as in the sheet, by its own vector and by the vendor's", () => {
  assert.is(signXunfeiUrl(spark), sparkSigned);
  const published = signXunfeiUrl({
    url: 'wss://spark-api.xf-yun.com/v1.1/chat',
    apiKey: 'addd2272b6d8b7c8abdd79531420ca3b',
    apiSecret: 'MjlmNzkzNmZkMDQ2OTc0ZDdmNGE2ZTZi',
    moment: new Date('2023-05-05T10:43:39Z'),
  });
  const authorization = new URL(published).searchParams.get('authorization') ?? '';
  assert.match(
    Buffer.from(authorization, 'base64').toString(),
    'signature="z5gHdu3pxVV4ADMyk467wOWDQ9q6BQzR3nfMTjc/DaQ="',
  );
  const signer = new XunfeiUrlSigner(() => spark.moment.getTime());
  const { url } = signer.sign(draft(spark.url), `12345678|${spark.apiSecret}|${spark.apiKey}`);
  assert.is(url, sparkSigned);
});

test("Zhipu's token is the one of the sheet", async () => {
  const key = '0123456789abcdef0123456789abcdef.TollgateSecret01';
  assert.is(
    zhipuToken(key, { now: 1_700_000_000_000, ttl: 86_400_000 }),
    'eyJhbGciOiJIUzI1NiIsInNpZ25fdHlwZSI6IlNJR04ifQ.eyJhcGlfa2V5IjoiMDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWYiLCJleHAiOjE3MDAwODY0MDAwMDAsInRpbWVzdGFtcCI6MTcwMDAwMDAwMDAwMH0.HHkGDUNpbVL3syaWnInuKgVh6mviWCiPwwmzUNH_OeU',
  );
  const failed = await new ZhipuJwt(() => 0).sign(draft('https://h/'), 'no pair').catch((error: unknown) => error);
  assert.instance(failed, Error);
});

test('an access token is traded once for all who wait, and again when it is old', async () => {
  let now = 0;
  const calls: string[] = [];
  const call = ({ url }: { url: string }) => {
    calls.push(url);
    return Promise.resolve({ access_token: `24.${calls.length}`, expires_in: 2_592_000 });
  };
  const signer = new BaiduOauth({ call, tokens: new TokenCache(() => now), now: () => now });
  const ask = () => signer.sign(draft('https://aip.baidubce.com/rpc/chat'), 'id|se cret');
  const [first, second] = await Promise.all([ask(), ask()]);
  assert.is(first.url, 'https://aip.baidubce.com/rpc/chat?access_token=24.1');
  assert.is(second.url, first.url);
  assert.equal(calls, [
    'https://aip.baidubce.com/oauth/2.0/token?grant_type=client_credentials&client_id=id&client_secret=se+cret',
  ]);
  now += 4_000_000;
  assert.is((await ask()).url, 'https://aip.baidubce.com/rpc/chat?access_token=24.2');
});

test('an access token is traded below the address that its call goes to, whatever path that begins with', async () => {
  const calls: string[] = [];
  const call = ({ url }: { url: string }) => {
    calls.push(new URL(url).origin + new URL(url).pathname);
    return Promise.resolve({ access_token: `24.${calls.length}`, expires_in: 2_592_000 });
  };
  let now = 0;
  const signer = new BaiduOauth({ call, tokens: new TokenCache(() => now), now: () => now });
  const paths = ['', '/baidu', '/other/baidu'].map((root) => `https://relay.example${root}`);
  for (const base of paths)
    await signer.sign(draft(`${base}/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/eb`), 'id|secret');
  assert.equal(
    calls,
    paths.map((base) => `${base}/oauth/2.0/token`),
  );
  now += 20_000;
  const forgets = (path: string) => signer.forget('id|secret', draft(`https://relay.example/${path}`));
  assert.is(forgets('baidu/rpc/2.0/ai_custom/v1/x?access_token=24.2'), true);
  assert.is(forgets('third/rpc/2.0/ai_custom/v1/x?access_token=24.2'), false);
});

test('a trade that failed is not kept', async () => {
  let works = false;
  const call = () => (works ? Promise.resolve({ token: 'bce-v3/t' }) : Promise.reject(new Error('unreachable')));
  const signer = new BaiduIam({ call, tokens: new TokenCache(() => 0), now: () => 0 });
  const failed = await signer.sign(draft('https://h/'), 'ak|sk').catch((error: unknown) => error);
  assert.instance(failed, Error);
  works = true;
  const { headers } = await signer.sign(draft('https://h/'), 'ak|sk');
  assert.equal(headers.slice(2), ['authorization', 'Bearer bce-v3/t']);
});

test.run();
