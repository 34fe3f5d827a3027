/** What Amazon would sign a request with, by the signer that its own vectors prove (test/daemon/upstream/auth/aws.test.ts). */
import { AwsSigner } from '../../daemon/upstream/auth/aws.ts';
import type { FakeUpstream, RecordedRequest } from './fake-upstream.ts';

/** The authorization of a request to Bedrock, made anew with these credentials at the moment it names. */
export async function bedrockSignature(
  upstream: FakeUpstream,
  request: RecordedRequest,
  { credentials, region }: { readonly credentials: string; readonly region: string },
): Promise<string | undefined> {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(request.headers['x-amz-date'])) ?? [];
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const headers = ['content-type', String(request.headers['content-type'])];
  const draft = { method: 'POST', url: upstream.url + request.url, headers, body: request.body };
  const signed = await new AwsSigner(() => at).sign(draft, credentials, { service: 'bedrock', region });
  return signed.headers[signed.headers.indexOf('authorization') + 1];
}
