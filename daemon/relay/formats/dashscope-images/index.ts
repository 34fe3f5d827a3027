/**
 * Alibaba DashScope's images: the newer models answer at once, the older ones give out a task that is asked after.
 * Source: providers/ali.md, read 2026-11.
 */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { ImageAnswer, ImageRequest, MadeImage } from '../../canonical/image.ts';
import type { Json, JsonObject } from '../../json.ts';
import { refusalOf } from '../dashscope-socket-task.ts';
import { asObject, asObjects, asText, asWord, inexpressible, present } from '../fields.ts';
import { loseQuality } from '../image-file.ts';
import { imageAddress } from '../openai-images/request.ts';

const passed = new Set(['negative_prompt', 'seed', 'prompt_extend', 'watermark', 'style', 'ref_img']);
const pollMs = 2500;
/** Looking after a task; its id follows. */
export const taskOperation = 'tasks/';

/** True for models that make images within the call. */
export function answersAtOnce(model: string): boolean {
  return /^(?:qwen-image|wan2\.(?:[6-9]|\d\d)|z-image)/.test(model);
}

function parametersOf(asked: ImageRequest, lose: (field: string) => void): JsonObject {
  const size = asked.size === 'auto' ? undefined : asked.size?.replace('x', '*');
  const parameters: JsonObject = present({ size, n: asked.count });
  for (const [name, value] of Object.entries(asked.extra)) {
    if (passed.has(name)) parameters[name] = value;
    else lose(name);
  }
  loseQuality(asked, lose);
  return parameters;
}

export const dashscopeImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'dashscope-images',
  // Source: the reference of wanx2.1-imageedit (help.aliyun.com, image editing), read 2026-11: white is painted anew.
  maskShade: ({ model }) => (answersAtOnce(model) ? undefined : 'white'),

  encodeRequest(asked, scope) {
    const parameters = parametersOf(asked, scope.lose);
    const addresses = asked.images.map((image) => {
      const url = imageAddress(image);
      if (url === undefined) throw inexpressible('images', 'files by id cannot be sent to this channel');
      return url;
    });
    const { model, prompt } = asked;
    if (answersAtOnce(model)) {
      if (asked.mask !== undefined) throw inexpressible('mask', 'masks cannot be sent to this model');
      const content: Json[] = [...addresses.map((image) => ({ image })), { text: prompt }];
      return { body: { model, input: { messages: [{ role: 'user', content }] }, parameters }, operation: 'multimodal' };
    }
    const [base, another] = addresses;
    if (another !== undefined) throw inexpressible('image', 'this model edits one image');
    if (base === undefined) {
      // What the newer models are told among their parameters stands beside the prompt here.
      const { negative_prompt, ref_img, ...rest } = parameters;
      const input = present({ prompt, negative_prompt, ref_img });
      return { body: { model, input, parameters: rest }, operation: 'text2image' };
    }
    const mask = asked.mask === undefined ? undefined : imageAddress(asked.mask);
    const edit = mask === undefined ? 'description_edit' : 'description_edit_with_mask';
    const input = present({ function: edit, prompt, base_image_url: base, mask_image_url: mask });
    return { body: { model, input, parameters }, operation: 'image2image' };
  },

  decodeAnswer(body) {
    const output = asObject(body.output);
    const status = asWord(output?.task_status);
    const images = imagesOf(output);
    if (images.length > 0) return { images, usage: undefined };
    const task = asWord(output?.task_id);
    if (task !== undefined && (status === 'PENDING' || status === 'RUNNING' || status === 'SUSPENDED')) {
      return {
        kind: 'follow-up',
        operation: taskOperation + encodeURIComponent(task),
        isAfterWork: true,
        afterMs: pollMs,
      };
    }
    const refusal = failureOf(output) ?? (asWord(body.code) === undefined ? undefined : body);
    return refusal === undefined ? { kind: 'empty' } : { kind: 'error', body: refusal };
  },
};

function imagesOf(output: JsonObject | undefined): MadeImage[] {
  const said = asObjects(output?.choices).flatMap((choice) => asObjects(asObject(choice.message)?.content));
  const found = [...asObjects(output?.results), ...said];
  return found.flatMap((entry) => {
    const url = asWord(entry.url) ?? asWord(entry.image);
    return url === undefined ? [] : [present({ url, revisedPrompt: asText(entry.actual_prompt) })];
  });
}

/** Why a task failed: as a whole, or every image for itself. */
function failureOf(output: JsonObject | undefined): JsonObject | undefined {
  const failed = [...(output === undefined ? [] : [output]), ...asObjects(output?.results)];
  const first = failed.find((entry) => asWord(entry.code) !== undefined);
  return first && refusalOf(first.code, first.message);
}
