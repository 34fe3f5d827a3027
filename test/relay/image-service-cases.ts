/**
 * Image models that are run as functions, predictions and workflows. Bodies of Fireworks, NVIDIA, Hugging Face and
 * Cloudflare are those of their public references (docs.fireworks.ai, docs.api.nvidia.com, huggingface.co/docs,
 * developers.cloudflare.com, read 2026-11).
 */
import { ImageLibrary } from '../../daemon/relay/pictures/image-library.ts';
import { MaskPainter } from '../../daemon/relay/pictures/mask-painter.ts';
import { type Answer, jsonAnswer } from '../support/fake-upstream.ts';
import { alphaPng } from '../support/mask-files.ts';
import { address, picture } from './image-vendors.ts';

const b64 = picture.toString('base64');
/** The picture as a client sends it. */
export const inline = `data:image/png;base64,${b64}`;
/** The answer of a vendor that sends the image itself. */
export const file: Answer = { headers: { 'content-type': 'image/png' }, chunks: [picture] };

/** Two pixels, of which the first may change, as OpenAI's clients say so and as painted for others. */
const mask = alphaPng({ width: 2, opacity: [0, 255] });
export const alpha = `data:image/png;base64,${mask.toString('base64')}`;
const done = await new MaskPainter(new ImageLibrary()).paint(mask, 'white');
const painted = Buffer.isBuffer(done) ? done : Buffer.alloc(0);
const white = `data:image/png;base64,${painted.toString('base64')}`;

/** Types of channels. */
export const channel = {
  cloudflare: 39,
  fireworks: 104,
  huggingface: 107,
  nvidia: 108,
  replicate: 109,
  together: 110,
  xinference: 47,
  qianfan: 46,
} as const;

/** Models that show what each vendor does. */
export const models = {
  flux: '@cf/black-forest-labs/flux-1-schnell',
  phoenix: '@cf/leonardo/phoenix-1.0',
  klein: '@cf/black-forest-labs/flux-2-klein-4b',
  schnell: 'flux-1-schnell-fp8',
  kontext: 'accounts/fireworks/models/flux-kontext-pro',
  playground: 'playground-v2-1024px-aesthetic',
  dev: 'black-forest-labs/flux.1-dev',
  edits: 'black-forest-labs/flux.1-kontext-dev',
  sdxl: 'stabilityai/stable-diffusion-xl',
  medium: 'stabilityai/stable-diffusion-3-medium',
  space: 'stabilityai/stable-diffusion-xl-base-1.0:hf-inference',
  foreign: 'black-forest-labs/FLUX.1-dev:fal-ai',
  refiner: 'stabilityai/stable-diffusion-xl-refiner-1.0',
  fast: 'black-forest-labs/flux-schnell',
  pro: 'black-forest-labs/flux-1.1-pro',
  version: `stability-ai/sdxl:${'a1'.repeat(32)}`,
  banana: 'google/nano-banana',
  deployment: 'deployments/acme/our-flux-dev',
  flux2: 'black-forest-labs/FLUX.2-pro',
  local: 'sd-turbo',
  sdxlFill: 'acme/sdxl-inpainting',
  qwen: 'Qwen-Image-Edit',
  irag: 'ernie-irag-edit',
} as const;

/** One call: what a client asks, what the vendor is asked and answers, what the client gets. */
export interface ImageServiceCase {
  readonly type: number;
  readonly asked: Record<string, unknown>;
  readonly edits?: true;
  readonly path: string;
  readonly sent: unknown;
  readonly answer: Answer;
  readonly data: readonly unknown[];
}

export const cases: Readonly<Record<string, ImageServiceCase>> = {
  'Cloudflare, base64 in JSON': {
    type: channel.cloudflare,
    asked: { model: models.flux, size: '1024x1024', steps: 6, quality: 'hd' },
    path: `/client/v4/accounts/account/ai/run/${models.flux}`,
    sent: { prompt: 'a cat', steps: 6 },
    answer: jsonAnswer({ result: { image: b64 }, success: true, errors: [], messages: [] }),
    data: [{ b64_json: b64 }],
  },
  'Cloudflare, the file itself': {
    type: channel.cloudflare,
    asked: { model: models.phoenix, size: '1024x768', negative_prompt: 'dogs', seed: 7 },
    path: `/client/v4/accounts/account/ai/run/${models.phoenix}`,
    sent: { prompt: 'a cat', negative_prompt: 'dogs', seed: 7, width: 1024, height: 768 },
    answer: file,
    data: [{ b64_json: b64 }],
  },
  'Cloudflare, an edit': {
    type: channel.cloudflare,
    asked: { model: models.phoenix, strength: 0.5, mask: alpha },
    edits: true,
    path: `/client/v4/accounts/account/ai/run/${models.phoenix}`,
    sent: { prompt: 'green', strength: 0.5, image_b64: b64, mask: [...painted] },
    answer: file,
    data: [{ b64_json: b64 }],
  },
  'Fireworks, made at once': {
    type: channel.fireworks,
    asked: { model: models.schnell, size: '1792x1024', seed: 7, response_format: 'b64_json' },
    path: '/v1/workflows/accounts/fireworks/models/flux-1-schnell-fp8/text_to_image',
    sent: { prompt: 'a cat', aspect_ratio: '16:9', seed: 7 },
    answer: jsonAnswer({ id: '1234567890', base64: [inline], finishReason: 'SUCCESS', seed: 1_234_567_890 }),
    data: [{ b64_json: b64 }],
  },
  'Fireworks, the older interface': {
    type: channel.fireworks,
    asked: { model: models.playground, size: '1024x768', steps: 30, style: 'vivid' },
    path: '/v1/image_generation/accounts/fireworks/models/playground-v2-1024px-aesthetic',
    sent: { prompt: 'a cat', width: 1024, height: 768, steps: 30 },
    answer: jsonAnswer([{ base64: b64, finishReason: 'SUCCESS', seed: 1 }]),
    data: [{ b64_json: b64 }],
  },
  'Fireworks, the file itself': {
    type: channel.fireworks,
    asked: { model: models.schnell },
    path: '/v1/workflows/accounts/fireworks/models/flux-1-schnell-fp8/text_to_image',
    sent: { prompt: 'a cat' },
    answer: file,
    data: [{ b64_json: b64 }],
  },
  'NVIDIA, Flux in a container': {
    type: channel.nvidia,
    asked: { model: models.dev, size: '1024x1024', steps: 30, cfg_scale: 3.5 },
    path: '/v1/infer',
    sent: { prompt: 'a cat', width: 1024, height: 1024, steps: 30, cfg_scale: 3.5 },
    answer: jsonAnswer({ artifacts: [{ base64: b64, finishReason: 'SUCCESS', seed: 0 }] }),
    data: [{ b64_json: b64 }],
  },
  'NVIDIA, weighted prompts': {
    type: channel.nvidia,
    asked: { model: models.sdxl, negative_prompt: 'dogs', sampler: 'K_DPM_2_ANCESTRAL' },
    path: '/v1/infer',
    sent: {
      text_prompts: [
        { text: 'a cat', weight: 1 },
        { text: 'dogs', weight: -1 },
      ],
      sampler: 'K_DPM_2_ANCESTRAL',
    },
    answer: jsonAnswer({ artifacts: [{ base64: b64, finishReason: 'SUCCESS', seed: 0 }] }),
    data: [{ b64_json: b64 }],
  },
  'NVIDIA, proportions': {
    type: channel.nvidia,
    asked: { model: models.medium, size: '1536x1024', negative_prompt: 'dogs' },
    path: '/v1/infer',
    sent: { prompt: 'a cat', negative_prompt: 'dogs', aspect_ratio: '3:2' },
    answer: jsonAnswer({ image: b64, finish_reason: 'SUCCESS', seed: 0 }),
    data: [{ b64_json: b64 }],
  },
  'Hugging Face': {
    type: channel.huggingface,
    asked: { model: models.space, size: '512x768', guidance_scale: 7, background: 'auto' },
    path: '/hf-inference/models/stabilityai/stable-diffusion-xl-base-1.0',
    sent: { inputs: 'a cat', parameters: { guidance_scale: 7, width: 512, height: 768 } },
    answer: { ...file, headers: { 'content-type': 'image/jpeg' } },
    data: [{ b64_json: b64 }],
  },
  'Hugging Face, an edit': {
    type: channel.huggingface,
    asked: { model: models.refiner, size: '512x768', seed: 7, negative_prompt: 'dogs', scheduler: 'x' },
    edits: true,
    path: `/hf-inference/models/${models.refiner}`,
    sent: {
      inputs: b64,
      parameters: { seed: 7, negative_prompt: 'dogs', prompt: 'green', target_size: { width: 512, height: 768 } },
    },
    answer: file,
    data: [{ b64_json: b64 }],
  },
  'Replicate, a deployment': {
    type: channel.replicate,
    asked: { model: models.deployment, size: '1024x1024' },
    path: `/v1/${models.deployment}/predictions`,
    sent: { input: { prompt: 'a cat', aspect_ratio: '1:1' } },
    answer: jsonAnswer({ id: 'p', status: 'succeeded', output: [address] }, 201),
    data: [{ url: address }],
  },
  'Replicate, several at once': {
    type: channel.replicate,
    asked: {
      model: models.fast,
      n: 3,
      size: '1792x1024',
      output_format: 'jpeg',
      output_compression: 80,
      go_fast: true,
    },
    path: `/v1/models/${models.fast}/predictions`,
    sent: {
      input: {
        prompt: 'a cat',
        aspect_ratio: '16:9',
        output_format: 'jpg',
        output_quality: 80,
        go_fast: true,
        num_outputs: 3,
      },
    },
    answer: jsonAnswer({ id: 'p', status: 'succeeded', output: [address, address, address] }, 201),
    data: [{ url: address }, { url: address }, { url: address }],
  },
  'Replicate, a version by its hash': {
    type: channel.replicate,
    asked: { model: models.version, size: '768x1024', response_format: 'b64_json' },
    path: '/v1/predictions',
    sent: { input: { prompt: 'a cat', width: 768, height: 1024 }, version: models.version },
    answer: jsonAnswer({ id: 'p', status: 'succeeded', output: [address] }, 201),
    data: [{ b64_json: b64 }],
  },
  'Together, sizes in pixels': {
    type: channel.together,
    asked: { model: models.flux2, n: 2, size: '1024x768', response_format: 'b64_json', steps: 20, style: 'vivid' },
    path: '/v1/images/generations',
    sent: {
      model: models.flux2,
      prompt: 'a cat',
      n: 2,
      width: 1024,
      height: 768,
      response_format: 'base64',
      steps: 20,
    },
    answer: jsonAnswer({
      id: 'o',
      model: models.flux2,
      object: 'list',
      data: [
        { index: 0, b64_json: b64 },
        { index: 1, url: address },
      ],
    }),
    data: [{ b64_json: b64 }, { b64_json: b64 }],
  },
  'Together, an edit': {
    type: channel.together,
    asked: { model: models.flux2, images: [{ image_url: inline }, { image_url: address }] },
    edits: true,
    path: '/v1/images/generations',
    sent: { model: models.flux2, prompt: 'green', n: 1, reference_images: [inline, address] },
    answer: jsonAnswer({ id: 'o', model: models.flux2, object: 'list', data: [{ index: 0, url: address }] }),
    data: [{ url: address }],
  },
  'Replicate, inside a mask': {
    type: channel.replicate,
    asked: { model: models.sdxlFill, mask: alpha },
    edits: true,
    path: `/v1/models/${models.sdxlFill}/predictions`,
    sent: { input: { prompt: 'green', image: inline, mask: white } },
    answer: jsonAnswer({ id: 'p', status: 'succeeded', output: [address] }, 201),
    data: [{ url: address }],
  },
  'Qianfan, an edit of several images': {
    type: channel.qianfan,
    asked: {
      model: models.qwen,
      images: [{ image_url: inline }, { image_url: address }],
      size: '1024x1024',
      response_format: 'b64_json',
      guidance: 4,
      watermark: false,
      background: 'auto',
    },
    edits: true,
    path: '/v2/images/edits',
    sent: {
      image: [inline, address],
      guidance: 4,
      watermark: false,
      model: 'qwen-image-edit',
      prompt: 'green',
      n: 1,
      size: '1024x1024',
    },
    answer: jsonAnswer({ id: 'as-1', created: 5, data: [{ url: address }] }),
    data: [{ b64_json: b64 }],
  },
  'Qianfan, a variation': {
    type: channel.qianfan,
    asked: { model: models.irag },
    edits: true,
    path: '/v2/images/edits',
    sent: { image: inline, feature: 'variation', model: models.irag, prompt: 'green', n: 1 },
    answer: jsonAnswer({ id: 'as-1', created: 5, data: [{ url: address }] }),
    data: [{ url: address }],
  },
  'Qianfan, without what the mask shows': {
    type: channel.qianfan,
    asked: { model: models.irag, mask: alpha, feature: 'erase' },
    edits: true,
    path: '/v2/images/edits',
    sent: { image: inline, feature: 'erase', mask: white, model: models.irag, prompt: 'green', n: 1 },
    answer: jsonAnswer({ id: 'as-1', created: 5, data: [{ url: address }] }),
    data: [{ url: address }],
  },
  'Replicate, an edit': {
    type: channel.replicate,
    asked: { model: models.banana },
    edits: true,
    path: `/v1/models/${models.banana}/predictions`,
    sent: { input: { prompt: 'green', image_input: [inline] } },
    answer: jsonAnswer({ id: 'p', status: 'succeeded', output: address }, 201),
    data: [{ url: address }],
  },
};
