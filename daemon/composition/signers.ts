/** The schemes that sign a request, or trade a key for a token first, by the names under which adapters ask for them. */
import { callJson } from '../gateway/side-call.ts';
import { isObject } from '../relay/json.ts';
import { AwsSigner } from '../upstream/auth/aws.ts';
import { BaiduIam, BaiduOauth } from '../upstream/auth/baidu.ts';
import { GoogleSigner } from '../upstream/auth/google.ts';
import type { Signer } from '../upstream/auth/index.ts';
import { TencentTc3 } from '../upstream/auth/tencent-tc3.ts';
import { TokenCache, type TokenCall } from '../upstream/auth/token-cache.ts';
import { XunfeiUrlSigner } from '../upstream/auth/xunfei-url.ts';
import { ZhipuJwt } from '../upstream/auth/zhipu-jwt.ts';
import type { Transport } from '../upstream/transport.ts';
import type { Clock } from './foundation.ts';

const timeoutMs = 10_000;
const maxBytes = 64 * 1024;

/** Every installed signer. */
export function buildSigners(transport: Transport, clock: Clock): ReadonlyMap<string, Signer> {
  const call: TokenCall = async (request) => {
    const answer = await callJson(transport, { body: undefined, ...request, timeoutMs, maxBytes });
    if (!isObject(answer)) throw new Error('the answer is no object');
    return answer;
  };
  const baidu = { call, tokens: new TokenCache(clock.monotonic), now: clock.now };
  const google = { call, tokens: new TokenCache(clock.monotonic), now: clock.now };
  return new Map<string, Signer>([
    ['aws', new AwsSigner(clock.now)],
    ['google', new GoogleSigner(google)],
    ['baidu-oauth', new BaiduOauth(baidu)],
    ['baidu-iam', new BaiduIam(baidu)],
    ['tencent-tc3', new TencentTc3(clock.now)],
    ['zhipu-jwt', new ZhipuJwt(clock.now)],
    ['xunfei-url', new XunfeiUrlSigner(clock.now)],
  ]);
}
