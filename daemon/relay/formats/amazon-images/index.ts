/**
 * Amazon's own image models on Bedrock, Nova Canvas and Titan, whose every task has members of its own. Source:
 * providers/bedrock.md; tasks and masks: the Titan and Nova user guides on docs.aws.amazon.com, read 2026-11.
 */
import type { UpstreamCallFormat } from '../../call-format.ts';
import { type ImageAnswer, type ImageRequest, type MaskShade, pixelsOf } from '../../canonical/image.ts';
import type { Scope } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import { asTexts, asWord, inexpressible, invalid, present } from '../fields.ts';
import { inlineImage, loseSizeWord, withNumbers, wordsOf } from '../image-file.ts';
import { errorOf } from '../vendor-chat.ts';
import { tryOnParams, tryOnWords } from './try-on.ts';

/** Images that one request may ask for. */
export const amazonImagesAtOnce = 5;
const mostReferences = 5;

interface Task {
  /** The member that holds what is the task's own. */
  readonly member: string;
  /** Where its image goes; as a list where the name is `images`. */
  readonly image: string;
  /** What may be said beside the prompt. Undefined: nothing at all, and no settings. */
  readonly words?: readonly string[];
  /** How its masks show what may change. Undefined: it takes none. */
  readonly maskShade?: MaskShade;
  /** Set where the result is as large as the image. */
  readonly keepsSize?: true;
  /** Set where prompt and images stand otherwise than in other tasks. */
  compose?(own: JsonObject, asked: ImageRequest): JsonObject;
  /** Set where only the newer model knows it. */
  readonly isOfCanvas?: true;
}

const tasks: ReadonlyMap<string, Task> = new Map<string, Task>([
  [
    'TEXT_IMAGE',
    {
      member: 'textToImageParams',
      image: 'conditionImage',
      words: ['negativeText', 'style', 'controlMode', 'controlStrength'],
    },
  ],
  [
    'COLOR_GUIDED_GENERATION',
    { member: 'colorGuidedGenerationParams', image: 'referenceImage', words: ['negativeText', 'colors'] },
  ],
  [
    'IMAGE_VARIATION',
    { member: 'imageVariationParams', image: 'images', words: ['negativeText', 'similarityStrength'] },
  ],
  [
    'INPAINTING',
    {
      member: 'inPaintingParams',
      image: 'image',
      words: ['negativeText', 'maskPrompt'],
      maskShade: 'black',
      keepsSize: true,
    },
  ],
  [
    'OUTPAINTING',
    {
      member: 'outPaintingParams',
      image: 'image',
      words: ['negativeText', 'maskPrompt', 'outPaintingMode'],
      maskShade: 'white',
      keepsSize: true,
    },
  ],
  ['BACKGROUND_REMOVAL', { member: 'backgroundRemovalParams', image: 'image', keepsSize: true }],
  [
    'VIRTUAL_TRY_ON',
    {
      member: 'virtualTryOnParams',
      image: 'sourceImage',
      words: tryOnWords,
      maskShade: 'black',
      keepsSize: true,
      compose: tryOnParams,
      isOfCanvas: true,
    },
  ],
]);

const settings = new Set(['cfgScale', 'seed']);
const numeric = new Set([...settings, 'controlStrength', 'similarityStrength']);
const qualities: ReadonlyMap<string | undefined, string> = new Map([
  ['standard', 'standard'],
  ['low', 'standard'],
  ['medium', 'standard'],
  ['premium', 'premium'],
  ['hd', 'premium'],
  ['high', 'premium'],
]);

/** The client's choice, else what its images and its mask mean. */
function taskNameOf({ images, mask, extra }: ImageRequest): string {
  if (extra.taskType !== undefined) return asWord(extra.taskType) ?? '';
  if (mask !== undefined || extra.maskPrompt !== undefined) return 'INPAINTING';
  if (images.length > 0) return 'IMAGE_VARIATION';
  return extra.colors === undefined ? 'TEXT_IMAGE' : 'COLOR_GUIDED_GENERATION';
}

/** What the model can be told to do. */
function tasksOf({ model }: ImageRequest): ReadonlyMap<string, Task> {
  if (!/titan/.test(model)) return tasks;
  return new Map([...tasks].filter(([, { isOfCanvas }]) => isOfCanvas !== true));
}

function encodeSources({ images, mask }: ImageRequest, task: Task): JsonObject {
  const sources = images.map((image) => inlineImage(image, 'image'));
  const isList = task.image === 'images';
  const most = isList ? mostReferences : 1;
  if (sources.length > most) throw inexpressible('image', `this task looks at most at ${most} images`);
  const [first] = sources;
  const members = first === undefined ? {} : { [task.image]: isList ? sources : first };
  if (mask === undefined) return members;
  if (task.maskShade === undefined) throw inexpressible('mask', 'this task takes no mask');
  return { ...members, maskImage: inlineImage(mask, 'mask') };
}

function encodeSettings({ count, quality, size, extra }: ImageRequest, task: Task): JsonObject {
  return {
    numberOfImages: count,
    ...present({ quality: qualities.get(quality) }),
    ...(task.keepsSize ? {} : pixelsOf(size)),
    ...withNumbers(
      wordsOf(extra, settings, () => {}),
      numeric,
    ),
  };
}

/** Notes what the request says beside its extra members and the task has no place for. */
function loseRest(asked: ImageRequest, task: Task, scope: Scope): void {
  const { quality, size } = asked;
  const isKnown = quality === 'auto' || (task.words !== undefined && qualities.has(quality));
  if (quality !== undefined && !isKnown) scope.lose('quality');
  if (task.keepsSize && pixelsOf(size) !== undefined) scope.lose('size');
  loseSizeWord(asked, scope.lose);
}

/** The client's further members in these models' words. */
function membersOf({ negative_prompt: unwanted, taskType: _, style, ...extra }: JsonObject, scope: Scope): JsonObject {
  // OpenAI's own styles are written small, these models' own large.
  const isOwn = typeof style === 'string' && style === style.toUpperCase();
  if (style !== undefined && !isOwn) scope.lose('style');
  return { ...extra, ...present({ negativeText: unwanted, style: isOwn ? style : undefined }) };
}

export const amazonImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'amazon-images',
  inlines: ['image'],
  maskShade: (asked) => tasks.get(taskNameOf(asked))?.maskShade,

  encodeRequest(asked, scope) {
    const taskType = taskNameOf(asked);
    const known = tasksOf(asked);
    const task = known.get(taskType);
    if (task === undefined) throw invalid('taskType', `must be one of ${[...known.keys()].join(', ')}`);
    const { words } = task;
    loseRest(asked, task, scope);
    const lose = (name: string) => {
      if (words === undefined || !settings.has(name)) scope.lose(name);
    };
    const own = withNumbers(wordsOf(membersOf(asked.extra, scope), new Set(words), lose), numeric);
    const params = task.compose?.(own, asked) ?? {
      ...(words === undefined ? {} : { text: asked.prompt }),
      ...own,
      ...encodeSources(asked, task),
    };
    const config = words === undefined ? {} : { imageGenerationConfig: encodeSettings(asked, task) };
    return { body: { taskType, [task.member]: params, ...config } };
  },

  decodeAnswer(body) {
    const images = asTexts(body.images).flatMap((data) => (data === '' ? [] : [{ data }]));
    if (images.length > 0) return { images, usage: undefined };
    // Said of images that are kept back; the others come.
    const reason = asWord(body.error);
    return reason === undefined ? { kind: 'empty' } : { kind: 'error', body: errorOf('content_filter', reason, 400) };
  },
};
