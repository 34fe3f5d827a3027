/**
 * What an upstream says of a task, for its two readers: the owner, who must not learn of the operator's affairs (REQ-33),
 * and the operator, who needs all of it but the key.
 */
import type { OptionsView } from '../../contract/options.ts';
import { keyRemover, maskKeys, maskText } from '../../relay/failure-mask.ts';
import { providerOf } from '../../relay/providers/index.ts';
import type { ChannelKeyView, ChannelView } from '../../snapshots/channel-view.ts';
import { hiddenUpstreamError } from '../failure-answer.ts';
import { baseAddressOf } from '../upstream-request.ts';

export interface TaskWords {
  forOwner(text: string): string;
  /**
   * Why it refused or failed, which the site may hide (relay.md 4.3).
   * @param status of HTTP: a refusal inside a success, the default, counts as 502
   */
  failureForOwner(text: string, status?: number): string;
  forOperator(text: string): string;
}

/** News of a task, with how they are told on. */
export interface Told<News> {
  readonly news: News;
  readonly words: TaskWords;
}

/** What a poll brings of a task: news, that its upstream does not know it, or nothing, for nobody could be asked. */
export type Heard<News> = Told<News> | 'absent' | undefined;

/** Why the task failed, for operators; undefined where nothing is said of that. */
export function operatorReason(heard: Heard<{ readonly failReason?: string }>): string | undefined {
  if (heard === undefined || heard === 'absent') return undefined;
  const { failReason = '' } = heard.news;
  return failReason === '' ? undefined : heard.words.forOperator(failReason);
}

const cannotBeFollowed = 'the task cannot be followed any more';

/** For tasks whose channel was deleted, which their owners need not know. */
export const ofDeleted: TaskWords = {
  forOwner: () => cannotBeFollowed,
  failureForOwner: () => cannotBeFollowed,
  forOperator: () => 'its channel was deleted',
};

/** Of a channel or key that is gone, only what looks like a secret is known. */
export function taskWords(
  channel: Pick<ChannelView, 'record'> | undefined,
  key: Pick<ChannelKeyView, 'secret'> | undefined,
  options: OptionsView,
): TaskWords {
  const { type = 0, baseUrl = '', name = '', openaiOrganization } = channel?.record ?? {};
  const adapter = providerOf(type);
  const secret = key?.secret ?? '';
  const names = {
    baseUrl: adapter === undefined ? '' : baseAddressOf(adapter, baseUrl),
    secrets: [secret, name, openaiOrganization ?? ''],
  };
  const withoutKey = keyRemover(secret);
  const forOwner = (text: string) => maskText(text, names);
  return {
    forOwner,
    failureForOwner: (text, status = 200) => {
      if (text === '' || !options.get('global.hide_upstream_error_enabled')) return forOwner(text);
      return hiddenUpstreamError(status < 400 ? 502 : status);
    },
    forOperator: (text) => maskKeys(withoutKey(text)),
  };
}
