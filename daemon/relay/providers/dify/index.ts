/** Dify: one key is one published application. Source: providers/dify.md, read 2026-11. */
import type { UpstreamFailure } from '../../../errors.ts';
import { readFailure } from '../../failure.ts';
import { asWord } from '../../formats/fields.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import type { Lesson, OtherQuestion, ProviderAdapter, UpstreamCall } from '../../provider.ts';
import { pathOn } from '../openai-compatible.ts';

/** What kind of application a key opens: the channel's `other`, `kind` or `kind:variable`. */
type Kind = 'chat' | 'completion' | 'workflow';

const paths: Readonly<Record<Kind, string>> = {
  chat: '/v1/chat-messages',
  completion: '/v1/completion-messages',
  workflow: '/v1/workflows/run',
};

function kindOf(other: string): { kind: Kind; variable: string } {
  const [, kind, variable = 'query'] = ofInputs.exec(other) ?? [];
  return { kind: kind === 'completion' || kind === 'workflow' ? kind : 'chat', variable };
}

/** The kinds whose question is one of the inputs. */
const ofInputs = /^(completion|workflow)(?::([^:]*).*)?$/;

/** Whatever it does not know counts as a chat, which a workflow refuses. */
function kindProblem({ other }: OtherQuestion): string | undefined {
  const { kind, variable } = kindOf(other);
  const isKept = kind === 'chat' ? ['', 'chat'].includes(other) : [kind, `${kind}:${variable}`].includes(other);
  return isKept && variable !== ''
    ? undefined
    : 'must be chat, completion or workflow, the last two also as workflow:NAME';
}

/** Only chats have a question of their own; elsewhere it is one of the inputs. */
function amendBody(body: Json, { other }: UpstreamCall): Json {
  const { kind, variable } = kindOf(other);
  if (kind === 'chat' || !isObject(body) || body.query === undefined) return body;
  const { query, conversation_id: _, auto_generate_name: _name, ...rest } = body;
  const inputs = isObject(rest.inputs) ? rest.inputs : {};
  return { ...rest, inputs: { [variable]: query, ...inputs } };
}

/** A conversation that is gone is begun anew, with all that the client still has of it. */
function learnsFrom({ fields }: UpstreamFailure): Lesson | undefined {
  return lostConversation.test(fields.code) || lostConversation.test(fields.operatorText)
    ? { without: ['conversation_id'] }
    : undefined;
}

/** The code, and the words where newer servers say `not_found`. */
const lostConversation = /^conversation[_ ]not[_ ]exists/i;

export const dify: ProviderAdapter = {
  id: 'dify',
  owner: 'dify',
  label: { en: 'Dify', zh: 'Dify' },
  channelType: 37,
  baseUrl: 'https://api.dify.ai',
  speaks: { chat: ['dify-chat'] },
  streamUsage: false,
  traits: { identity: true, filesByAddress: true },
  traitsFor: ({ other }) => ({ lastQuestionOnly: kindOf(other).kind === 'workflow' }),
  // Agents refuse the other manner, and hosted ones are cut after 100 seconds.
  answersOnly: () => 'stream',
  models: [],
  otherProblem: kindProblem,
  path: ({ baseUrl, other, operation }) =>
    pathOn(baseUrl, operation === 'upload' ? '/v1/files/upload' : paths[kindOf(other).kind]),
  auth: () => ({ kind: 'bearer' }),
  amendBody,
  bodyOfHeaders: (headers): JsonObject => {
    const conversation = asWord([headers['x-dify-conversation-id']].flat()[0]);
    return conversation === undefined ? {} : { conversation_id: conversation };
  },
  learnsFrom,
  readFailure: (reply) =>
    readFailure(reply, 'dify', [
      { status: [401, 403], means: 'bad-key' },
      { code: ['app_unavailable', 'not_chat_app', 'not_workflow_app'], means: 'bad-key' },
      { code: 'provider_quota_exceeded', means: 'no-credit' },
      { code: 'conversation_not_exists', means: 'bad-request' },
      { status: 404, text: lostConversation, means: 'bad-request' },
      { code: ['provider_not_initialize', 'model_currently_not_support'], means: 'no-model' },
      { code: ['completion_request_error', 'workflow_request_error'], means: 'overload' },
      {
        code: [
          'invalid_param',
          'bad_request',
          'file_too_large',
          'unsupported_file_type',
          'no_file_uploaded',
          'too_many_files',
        ],
        means: 'bad-request',
      },
      { code: ['rate_limit_error', 'too_many_requests'], means: 'rate-limit' },
    ]),
};
