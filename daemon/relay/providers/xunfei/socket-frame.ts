/** What a frame needs beside the question: whose it is, and what its version knows. Source: providers/xunfei.md, read 2026-11. */
import { asNumber, asObject, asObjects } from '../../formats/fields.ts';
import type { JsonObject } from '../../json.ts';
import type { UpstreamCall } from '../../provider.ts';
import { socketVersion } from './domains.ts';

/** Models that an operator trained answer at a host of their own, under the name of their service. */
const trainedHost = 'maas-api';

/** The address of the socket. */
export function socketUrl({ baseUrl, model, other }: UpstreamCall, defaultBase: string): string {
  if (baseUrl.includes(trainedHost)) return `${baseUrl.replace(/^http/, 'ws')}/v1.1/chat`;
  const version = socketVersion(model, other);
  if (baseUrl !== defaultBase) return `${baseUrl.replace(/^http/, 'ws')}${version.path}`;
  const host = version.domain === 'kjwx' ? 'spark-openapi-n.cn-huabei-1.xf-yun.com' : 'spark-api.xf-yun.com';
  return `wss://${host}${version.path}`;
}

/** The frame with the application's id, the domain and the limits of the version. */
export function fitFrame(frame: JsonObject, { model, other, settings, baseUrl }: UpstreamCall): JsonObject {
  const isTrained = baseUrl.includes(trainedHost);
  const version = socketVersion(model, other);
  const header: JsonObject = { ...asObject(frame.header), app_id: settings.application ?? '' };
  if (isTrained && other !== '') header.patch_id = [other];
  const chat: JsonObject = {
    ...asObject(asObject(frame.parameter)?.chat),
    domain: isTrained ? model : version.domain,
  };
  const limit = asNumber(chat.max_tokens);
  if (limit !== undefined) chat.max_tokens = Math.min(version.most, Math.max(1, limit));
  const payload = asObject(frame.payload) ?? {};
  const text = asObjects(asObject(payload.message)?.text);
  const told = version.system ? [...text] : text.flatMap(withoutSystem);
  return { header, parameter: { chat }, payload: { ...payload, message: { text: told } } };
}

/** Instructions as a first exchange. */
function withoutSystem(message: JsonObject): JsonObject[] {
  if (message.role !== 'system') return [message];
  return [
    { ...message, role: 'user' },
    { role: 'assistant', content: 'Okay' },
  ];
}
