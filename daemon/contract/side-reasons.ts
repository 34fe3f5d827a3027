/**
 * Why an upstream told no models or no balance (`channel_fetch_failed`, `channel_balance_failed`), in both languages:
 * made in English, read back for the Chinese text.
 */
import { type ReasonCatalogue, translated } from './reason-catalogue.ts';

export const sideReasons = {
  untold: 'this channel tells no models; name them by hand',
  unsigned: 'the key cannot be used for this type of channel',
  unreachable: 'the upstream could not be reached',
  late: 'the upstream did not answer in time',
  tooLarge: 'the answer is too large',
  unread: 'the answer is not understood',
} as const;

/** A refusal, with what the upstream says of it; "" for one without words. */
export function statusReason(status: number, words: string): string {
  return withWords(`the upstream answered with status ${status}`, words);
}

/** An answer of another shape, with the words of the error inside. */
export function unreadReason(words: string): string {
  return withWords(sideReasons.unread, words);
}

function withWords(reason: string, words: string): string {
  return words === '' ? reason : `${reason}: ${words}`;
}

const chinese: ReasonCatalogue = [
  [/^this channel tells no models; name them by hand$/, '该渠道不提供模型列表，请手动填写模型'],
  [/^the key cannot be used for this type of channel$/, '该密钥不适用于此类型的渠道'],
  [/^the upstream could not be reached$/, '无法连接上游'],
  [/^the upstream did not answer in time$/, '上游未及时响应'],
  [/^the answer is too large$/, '响应过大'],
  [/^the answer is not understood$/, '无法解析上游的响应'],
  [/^the answer is not understood: (.*)$/s, '无法解析上游的响应：$1'],
  [/^the upstream answered with status (\d+)$/, '上游返回状态码 $1'],
  [/^the upstream answered with status (\d+): (.*)$/s, '上游返回状态码 $1：$2'],
];

/** The same in Chinese; the upstream's own words stay as they are. */
export function chineseSideReason(reason: string): string {
  return translated(chinese, reason) ?? reason;
}
