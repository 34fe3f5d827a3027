/** Who can read a channel's keys on their way: a stored key must not come to anybody else unseen (S15). */
import type { ChannelRecord } from '../store/channels.ts';
import { jsonObject } from './channel-configuration.ts';

type Way = Partial<Pick<ChannelRecord, 'baseUrl' | 'setting'>>;

/** The host of the address; and the proxy before it where the host is not asked by TLS, which no proxy reads. */
export function keyReaders({ baseUrl, setting }: Way): string {
  const url = baseUrl ?? '';
  // The text itself where it is no address.
  const origin = URL.canParse(url) ? new URL(url).origin : url;
  return origin.startsWith('http:') ? `${origin} ${proxyIn(setting ?? '')}` : origin;
}

function proxyIn(setting: string): string {
  if (setting === '') return '';
  try {
    const { proxy } = jsonObject('setting', setting);
    return typeof proxy === 'string' ? proxy.trim() : '';
  } catch {
    // Whatever it says, a change of it says something else.
    return setting;
  }
}
