/**
 * The formats whose streams may take the native lane.
 */
import type { FormatId } from './format.ts';
import type { StreamProfile } from './native-profile.ts';
import { chatProfile, completionsProfile } from './native-profile-chat.ts';
import { generateProfile } from './native-profile-generate.ts';
import { messagesProfile } from './native-profile-messages.ts';
import { responsesProfile } from './native-profile-responses.ts';

/** One line a format. */
export const streamProfiles: readonly StreamProfile[] = [
  chatProfile,
  completionsProfile,
  responsesProfile,
  messagesProfile,
  generateProfile,
];

/** Undefined for formats that have no streams, or none that pass untouched. */
export function streamProfileOf(format: FormatId): StreamProfile | undefined {
  return streamProfiles.find((profile) => profile.format === format);
}
