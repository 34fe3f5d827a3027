/** What a channel's type is called; the number where it is none of those known. */
import { channelTypes } from '../../daemon/contract/channel-types.ts';

export function channelTypeLabel(type: number, language: string): string {
  const found = channelTypes.find((one) => one.type === type);
  return found ? found.label[language === 'en' ? 'en' : 'zh'] : String(type);
}
