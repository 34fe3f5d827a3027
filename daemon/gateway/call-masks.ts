/** Masks as the upstreams of a request read them, painted once for all its attempts. */
import { TollgateError } from '../errors.ts';
import type { ImageInput, MaskShade } from '../relay/canonical/image.ts';
import { maskOf, withMask } from '../relay/formats/openai-images/mask.ts';
import type { JsonObject } from '../relay/json.ts';
import type { ImageLibrary } from '../relay/pictures/image-library.ts';
import { MaskPainter, type PaintedMask } from '../relay/pictures/mask-painter.ts';
import type { Inspection } from './inspect.ts';
import type { RequestMedia } from './request-media.ts';

/** Whose mask it is. */
export interface MaskOwner {
  readonly inspection: Inspection;
  readonly media: Pick<RequestMedia, 'withImages'>;
}

export class CallMasks {
  readonly #painter: MaskPainter;
  readonly #painted = new WeakMap<Inspection, ReadonlyMap<MaskShade, PaintedMask>>();

  constructor(library: ImageLibrary) {
    this.#painter = new MaskPainter(library);
  }

  /**
   * The members with their mask painted; a promise to wait for where it is not fetched, or not painted, yet. Throws
   * `convert_request_failed` for a mask that cannot be painted.
   */
  painted(members: JsonObject, shade: MaskShade, { inspection, media }: MaskOwner): JsonObject | Promise<void> {
    const named = maskOf(members);
    if (named === undefined || named.kind === 'file') return members;
    const known = this.#painted.get(inspection);
    if (known?.has(shade)) {
      const painted = known.get(shade);
      if (painted instanceof TollgateError) throw painted;
      return painted === undefined ? members : withMask(members, inlinePng(painted));
    }
    const loaded = media.withImages({ mask: members.mask ?? null });
    if (loaded instanceof Promise) return loaded;
    const mask = maskOf(loaded);
    return mask?.kind === 'inline' ? this.#paint(mask.data, shade, inspection) : members;
  }

  async #paint(data: string, shade: MaskShade, inspection: Inspection): Promise<void> {
    const painted = await this.#painter.paint(Buffer.from(data, 'base64'), shade);
    this.#painted.set(inspection, new Map(this.#painted.get(inspection)).set(shade, painted));
  }
}

function inlinePng(file: Buffer): ImageInput {
  return { kind: 'inline', mediaType: 'image/png', data: file.toString('base64') };
}
