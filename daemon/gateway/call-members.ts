/** The members of a call as its upstream must be given them: the files of a form inline, and images by address too. */
import { callTranslatorOf } from '../relay/calls/index.ts';
import type { FormatId } from '../relay/format.ts';
import type { JsonObject } from '../relay/json.ts';
import type { CallTemplate } from './call-template.ts';
import type { FormMembers } from './form-members.ts';
import type { Inspection } from './inspect.ts';
import type { RequestMedia } from './request-media.ts';

export interface MembersAsked {
  /** The client's. */
  readonly format: FormatId;
  readonly inspection: Inspection;
  readonly media: Pick<RequestMedia, 'withImages'>;
}

/** The members; a promise to wait for where a file is not in memory yet. */
export function callMembers(
  forms: FormMembers,
  { choice }: CallTemplate,
  { format, inspection, media }: MembersAsked,
): JsonObject | Promise<void> {
  const members = forms.of(inspection, choice);
  if (choice.lane !== 'converted' || members instanceof Promise) return members;
  const inlines = callTranslatorOf(format, choice.format)?.inlines ?? [];
  return inlines.includes('image') ? media.withImages(members) : members;
}
