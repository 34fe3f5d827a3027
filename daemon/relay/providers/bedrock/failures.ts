/** Refusals of Amazon Bedrock, whose kind stands in a header. Source: providers/bedrock.md, read 2026-11. */
import type { UpstreamFailure } from '../../../errors.ts';
import { type FailureRule, readFailure } from '../../failure.ts';
import { asObject, asText, asWord, parseJson } from '../../formats/fields.ts';
import type { FailedReply } from '../../provider.ts';
import { anthropicFailures } from '../anthropic/failures.ts';

const rules: readonly FailureRule[] = [
  // No kinds of their own: the first asks for a profile of several regions, the second for another name.
  { code: 'ValidationException', text: /on-demand throughput|model identifier is invalid/i, means: 'no-model' },
  { code: 'AccessDeniedException', text: /Authentication failed|API Key/i, means: 'bad-key' },
  { text: /INVALID_PAYMENT_INSTRUMENT/, means: 'no-credit' },
  // The kind is lost where something stands between, the words are not.
  { status: 403, text: /security token included in the request is (?:invalid|expired)/i, means: 'bad-key' },
  { status: 400, text: /model identifier is invalid/i, means: 'no-model' },
  { status: 404, text: /end of its life/i, means: 'no-model' },
  { code: 'AccessDeniedException', means: 'not-allowed' },
  // The clock of this machine is wrong, or theirs: the kind is that of a wrong key.
  { code: 'InvalidSignatureException', text: /signature (?:expired|not yet current)/i, means: 'overload' },
  {
    code: [
      'UnrecognizedClientException',
      'InvalidSignatureException',
      'ExpiredTokenException',
      'IncompleteSignature',
      'IncompleteSignatureException',
    ],
    means: 'bad-key',
  },
  { code: 'ResourceNotFoundException', means: 'no-model' },
  { code: ['ThrottlingException', 'throttlingException'], text: /per day/i, means: 'rate-limit', exhausts: 'model' },
  {
    code: ['ThrottlingException', 'throttlingException', 'ModelNotReadyException', 'ServiceQuotaExceededException'],
    means: 'rate-limit',
  },
  { code: ['serviceUnavailableException', 'ServiceUnavailableException'], means: 'overload' },
  { code: ['validationException', 'content_filter'], means: 'bad-request' },
];

/** Account numbers, the resource names that hold them, and hosts, which are named by the region that is asked. */
const accounts =
  /\barn:aws[\w:/.@-]*|\b\d{12}\b|(?:https?:\/\/)?(?<![\w.-])(?:[\w-]+\.)*(?:amazonaws\.com|api\.aws)\b[^\s'"`,)]*/g;

/** Reads a refusal; its kind is taken from the header, else from the body. */
export function readBedrockFailure(reply: FailedReply): UpstreamFailure {
  const body = asObject(parseJson(reply.body));
  const inner = asObject(body?.error);
  const kind =
    reply.headers['x-amzn-errortype']?.split(':')[0] ??
    asWord(body?.__type)?.split('#').at(-1) ??
    asWord(inner?.type) ??
    asWord(inner?.code) ??
    'upstream_error';
  const message = asText(inner?.message) ?? asText(body?.message) ?? asText(body?.Message);
  if (message === undefined) return readFailure(reply, 'bedrock', rules);
  const error = { message: message.replace(accounts, '***'), type: kind, code: kind };
  return readFailure({ ...reply, body: JSON.stringify({ error }) }, 'bedrock', [...rules, ...anthropicFailures]);
}
