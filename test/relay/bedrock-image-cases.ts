/**
 * Image models on Amazon Bedrock: what a client asks and what the host is asked. Bodies are those of its user guides
 * (Nova Canvas, Titan Image Generator, Stability AI models and Image Services on docs.aws.amazon.com, read 2026-11).
 */
import { alphaPng } from '../support/mask-files.ts';
import { picture } from './image-vendors.ts';

const b64 = picture.toString('base64');
export const inline = `data:image/png;base64,${b64}`;
/** Two pixels, of which the first may change. */
const mask = `data:image/png;base64,${alphaPng({ width: 2, opacity: [0, 255] }).toString('base64')}`;

/** Names by which the host's models are asked for here. */
export const models = {
  canvas: 'nova-canvas',
  titan: 'titan-image-generator-v2',
  core: 'stability.stable-image-core-v1:1',
  ultra: 'stability.stable-image-ultra-v1:1',
  large: 'stability.sd3-5-large-v1:0',
  inpaint: 'stability.stable-image-inpaint-v1:0',
  erase: 'stability.stable-image-erase-object-v1:0',
  replace: 'us.stability.stable-image-search-replace-v1:0',
  cutout: 'stability.stable-image-remove-background-v1:0',
  transfer: 'stability.stable-style-transfer-v1:0',
  outpaint: 'stability.stable-outpaint-v1:0',
  fast: 'stability.stable-fast-upscale-v1:0',
} as const;

export interface BedrockImageCase {
  readonly asked: Record<string, unknown>;
  /** The id in the host's path. */
  readonly id: string;
  readonly sent: Record<string, unknown>;
  /** Shades of the mask that is sent in this member, in place of which `sent` has `painted`. */
  readonly mask?: readonly [member: string, shades: readonly number[]];
  /** Members that are noted as lost. */
  readonly lost?: readonly string[];
}

const sources = { images: [{ image_url: inline }] };
/** What is changed, and what is put into it. */
const garment = Buffer.concat([picture, Buffer.from([1])]).toString('base64');
const two = { images: [{ image_url: inline }, { image_url: `data:image/png;base64,${garment}` }] };
const service = (name: string) => `us.stability.stable-${name}-v1:0`;

export const generations: Readonly<Record<string, BedrockImageCase>> = {
  'Nova Canvas': {
    asked: {
      model: models.canvas,
      n: 2,
      size: '1280x720',
      quality: 'hd',
      negative_prompt: 'dogs',
      seed: 7,
      cfgScale: 3,
    },
    id: 'amazon.nova-canvas-v1:0',
    sent: {
      taskType: 'TEXT_IMAGE',
      textToImageParams: { text: 'a cat', negativeText: 'dogs' },
      imageGenerationConfig: { numberOfImages: 2, quality: 'premium', width: 1280, height: 720, seed: 7, cfgScale: 3 },
    },
  },
  'Nova Canvas in a style of its own': {
    asked: { model: models.canvas, style: 'PHOTOREALISM', background: 'auto', size: 'auto', quality: 'auto' },
    id: 'amazon.nova-canvas-v1:0',
    sent: {
      taskType: 'TEXT_IMAGE',
      textToImageParams: { text: 'a cat', style: 'PHOTOREALISM' },
      imageGenerationConfig: { numberOfImages: 1 },
    },
  },
  'Titan by colours': {
    asked: { model: models.titan, colors: ['#FF9800'], style: 'vivid', quality: 'constructor' },
    id: 'amazon.titan-image-generator-v2:0',
    sent: {
      taskType: 'COLOR_GUIDED_GENERATION',
      colorGuidedGenerationParams: { text: 'a cat', colors: ['#FF9800'] },
      imageGenerationConfig: { numberOfImages: 1 },
    },
    lost: ['quality', 'style'],
  },
  'Stable Image Core': {
    asked: { model: models.core, size: '1792x1024', output_format: 'jpeg', negative_prompt: 'dogs', quality: 'hd' },
    id: models.core,
    sent: { prompt: 'a cat', aspect_ratio: '16:9', output_format: 'jpeg', negative_prompt: 'dogs' },
    lost: ['quality'],
  },
};

export const edits: Readonly<Record<string, BedrockImageCase>> = {
  'Nova Canvas inside a mask': {
    asked: { model: models.canvas, ...sources, mask, size: '512x512' },
    id: 'amazon.nova-canvas-v1:0',
    sent: {
      taskType: 'INPAINTING',
      inPaintingParams: { text: 'green', image: b64, maskImage: 'painted' },
      imageGenerationConfig: { numberOfImages: 1 },
    },
    mask: ['maskImage', [0, 255]],
    lost: ['size'],
  },
  'Nova Canvas inside a mask in words': {
    asked: { model: models.canvas, ...sources, maskPrompt: 'the hat' },
    id: 'amazon.nova-canvas-v1:0',
    sent: {
      taskType: 'INPAINTING',
      inPaintingParams: { text: 'green', image: b64, maskPrompt: 'the hat' },
      imageGenerationConfig: { numberOfImages: 1 },
    },
  },
  'Titan around what is kept': {
    asked: { model: models.titan, ...sources, mask, taskType: 'OUTPAINTING', outPaintingMode: 'PRECISE' },
    id: 'amazon.titan-image-generator-v2:0',
    sent: {
      taskType: 'OUTPAINTING',
      outPaintingParams: { text: 'green', image: b64, maskImage: 'painted', outPaintingMode: 'PRECISE' },
      imageGenerationConfig: { numberOfImages: 1 },
    },
    mask: ['maskImage', [255, 0]],
  },
  'Nova Canvas after several images': {
    asked: { model: models.canvas, images: [{ image_url: inline }, { image_url: inline }], similarityStrength: 0.4 },
    id: 'amazon.nova-canvas-v1:0',
    sent: {
      taskType: 'IMAGE_VARIATION',
      imageVariationParams: { text: 'green', images: [b64, b64], similarityStrength: 0.4 },
      imageGenerationConfig: { numberOfImages: 1 },
    },
  },
  'Nova Canvas along an image': {
    asked: { model: models.canvas, ...sources, taskType: 'TEXT_IMAGE', controlMode: 'SEGMENTATION', size: '512x512' },
    id: 'amazon.nova-canvas-v1:0',
    sent: {
      taskType: 'TEXT_IMAGE',
      textToImageParams: { text: 'green', conditionImage: b64, controlMode: 'SEGMENTATION' },
      imageGenerationConfig: { numberOfImages: 1, width: 512, height: 512 },
    },
  },
  'Nova Canvas with a garment put on': {
    asked: {
      model: models.canvas,
      ...two,
      taskType: 'VIRTUAL_TRY_ON',
      garmentClass: 'UPPER_BODY',
      garmentBasedMask: { maskShape: 'CONTOUR', garmentStyling: { tuckingStyle: 'TUCKED' } },
      maskExclusions: { preserveFace: 'ON' },
      mergeStyle: 'SEAMLESS',
      quality: 'hd',
      n: 2,
      seed: 7,
      returnMask: true,
      size: '1024x1024',
    },
    id: 'amazon.nova-canvas-v1:0',
    sent: {
      taskType: 'VIRTUAL_TRY_ON',
      virtualTryOnParams: {
        sourceImage: b64,
        referenceImage: garment,
        maskType: 'GARMENT',
        garmentBasedMask: {
          maskShape: 'CONTOUR',
          garmentStyling: { tuckingStyle: 'TUCKED' },
          garmentClass: 'UPPER_BODY',
        },
        maskExclusions: { preserveFace: 'ON' },
        mergeStyle: 'SEAMLESS',
      },
      imageGenerationConfig: { numberOfImages: 2, quality: 'premium', seed: 7 },
    },
    lost: ['size', 'returnMask'],
  },
  'Nova Canvas with another thing inside a mask': {
    asked: { model: models.canvas, ...two, mask, taskType: 'VIRTUAL_TRY_ON' },
    id: 'amazon.nova-canvas-v1:0',
    sent: {
      taskType: 'VIRTUAL_TRY_ON',
      virtualTryOnParams: {
        sourceImage: b64,
        referenceImage: garment,
        maskType: 'IMAGE',
        imageBasedMask: { maskImage: 'painted' },
      },
      imageGenerationConfig: { numberOfImages: 1 },
    },
    mask: ['maskImage', [0, 255]],
  },
  'Nova Canvas with another thing in place of what is described': {
    asked: {
      model: models.canvas,
      ...two,
      taskType: 'VIRTUAL_TRY_ON',
      maskPrompt: 'the couch',
      promptBasedMask: '{"maskShape":"BOUNDING_BOX"}',
    },
    id: 'amazon.nova-canvas-v1:0',
    sent: {
      taskType: 'VIRTUAL_TRY_ON',
      virtualTryOnParams: {
        sourceImage: b64,
        referenceImage: garment,
        maskType: 'PROMPT',
        promptBasedMask: { maskShape: 'BOUNDING_BOX', maskPrompt: 'the couch' },
      },
      imageGenerationConfig: { numberOfImages: 1 },
    },
  },
  'Titan without the background': {
    asked: { model: models.titan, ...sources, taskType: 'BACKGROUND_REMOVAL', seed: 7 },
    id: 'amazon.titan-image-generator-v2:0',
    sent: { taskType: 'BACKGROUND_REMOVAL', backgroundRemovalParams: { image: b64 } },
    lost: ['seed'],
  },
  'Stable Image Ultra from an image': {
    asked: { model: models.ultra, ...sources, strength: 0.5, size: '1024x1024' },
    id: models.ultra,
    sent: { prompt: 'green', image: b64, strength: 0.5 },
    lost: ['size'],
  },
  'Stable Diffusion from an image, which must be told how much of it stays': {
    asked: { model: models.large, ...sources },
    id: models.large,
    sent: { mode: 'image-to-image', strength: 0.7, prompt: 'green', image: b64 },
  },
  'Stable Image inside a mask': {
    asked: { model: models.inpaint, ...sources, mask, grow_mask: 3, style_preset: 'anime' },
    id: service('image-inpaint'),
    sent: { prompt: 'green', image: b64, mask: 'painted', grow_mask: 3, style_preset: 'anime' },
    mask: ['mask', [255, 0]],
  },
  'Stable Image without an object': {
    asked: { model: models.erase, ...sources, mask },
    id: service('image-erase-object'),
    sent: { image: b64, mask: 'painted' },
    mask: ['mask', [255, 0]],
  },
  'Stable Image with another object': {
    asked: { model: models.replace, ...sources, search_prompt: 'sweater', select_prompt: 'x' },
    id: models.replace,
    sent: { prompt: 'green', image: b64, search_prompt: 'sweater' },
    lost: ['select_prompt'],
  },
  'Stable Image without the background': {
    asked: { model: models.cutout, ...sources, output_format: 'webp' },
    id: service('image-remove-background'),
    sent: { image: b64, output_format: 'webp' },
  },
  'Stable Image in the style of another': {
    asked: { model: models.transfer, images: [{ image_url: inline }, { image_url: inline }], style_strength: 0.9 },
    id: service('style-transfer'),
    sent: { prompt: 'green', init_image: b64, style_image: b64, style_strength: 0.9 },
  },
  'Stable Image beyond its edges': {
    asked: { model: models.outpaint, ...sources, left: 512, down: 100, creativity: 0.3 },
    id: service('outpaint'),
    sent: { prompt: 'green', image: b64, left: 512, down: 100, creativity: 0.3 },
  },
  'Stable Image made larger': {
    asked: { model: models.fast, ...sources },
    id: service('fast-upscale'),
    sent: { image: b64 },
  },
};
