/**
 * The members of a call as its upstream must be given them: the files of a form inline, images by address too, and masks
 * painted.
 */
import { callTranslatorOf } from '../relay/calls/index.ts';
import type { FormatId } from '../relay/format.ts';
import type { JsonObject } from '../relay/json.ts';
import type { ImageLibrary } from '../relay/pictures/image-library.ts';
import { CallMasks } from './call-masks.ts';
import type { CallTemplate } from './call-template.ts';
import { FormMembers } from './form-members.ts';
import type { Inspection } from './inspect.ts';
import type { RequestMedia } from './request-media.ts';

export interface MembersAsked {
  /** The client's. */
  readonly format: FormatId;
  readonly inspection: Inspection;
  readonly media: Pick<RequestMedia, 'withImages'>;
}

export class CallMembers {
  readonly #forms = new FormMembers();
  readonly #masks: CallMasks;

  constructor(library: ImageLibrary) {
    this.#masks = new CallMasks(library);
  }

  /**
   * The members; a promise to wait for where a file is not in memory yet. Throws `convert_request_failed` for a mask
   * that cannot be painted.
   */
  of({ choice, names }: CallTemplate, { format, inspection, media }: MembersAsked): JsonObject | Promise<void> {
    const members = this.#forms.of(inspection, choice);
    if (choice.lane !== 'converted' || members instanceof Promise) return members;
    const translator = callTranslatorOf(format, choice.format);
    const inlined = translator?.inlines.includes('image') ? media.withImages(members) : members;
    if (inlined instanceof Promise || translator?.maskShade === undefined || hasNoMask(inlined)) return inlined;
    const shade = translator.maskShade(inlined, names.upstream);
    return shade === undefined ? inlined : this.#masks.painted(inlined, shade, { inspection, media });
  }
}

function hasNoMask({ mask }: JsonObject): boolean {
  return mask === undefined || mask === null;
}
