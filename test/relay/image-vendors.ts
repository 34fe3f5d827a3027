/** Vendors of images with words of their own, as their sheets describe them. */

/** The first bytes of a PNG file. */
export const picture = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
/** Where an upstream says that an image lies. */
export const address = 'https://files.example/1.png';
const b64 = picture.toString('base64');

/** One vendor: what a client asks, what the vendor is asked, what it answers, what that costs. */
export interface ImageVendor {
  readonly type: number;
  readonly model: string;
  readonly path: string;
  readonly asked: Record<string, unknown>;
  readonly sent: Record<string, unknown>;
  readonly answer: Record<string, unknown>;
  readonly quota: number;
}

export const imageVendors: readonly ImageVendor[] = [
  {
    type: 24,
    model: 'gemini-3-pro-image',
    path: '/v1beta/models/gemini-3-pro-image:generateContent',
    asked: { size: '1792x1024' },
    sent: {
      contents: [{ role: 'user', parts: [{ text: 'a cat' }] }],
      generationConfig: {
        responseModalities: ['TEXT', 'IMAGE'],
        imageConfig: { aspectRatio: '16:9', imageSize: '2K' },
      },
    },
    answer: {
      candidates: [{ content: { parts: [{ text: 'here' }, { inlineData: { mimeType: 'image/png', data: b64 } }] } }],
      usageMetadata: {
        promptTokenCount: 10,
        candidatesTokenCount: 1120,
        candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1120 }],
      },
    },
    // Ratio 1, image output at 60: the shipped prices.
    quota: 10 + 1120 * 60,
  },
  {
    type: 24,
    model: 'imagen-4.0-generate-001',
    path: '/v1beta/models/imagen-4.0-generate-001:predict',
    asked: { n: 2 },
    sent: { instances: [{ prompt: 'a cat' }], parameters: { sampleCount: 2 } },
    answer: { predictions: [{ mimeType: 'image/png', bytesBase64Encoded: b64 }, { raiFilteredReason: 'no' }] },
    quota: 20_000,
  },
  {
    type: 17,
    model: 'qwen-image',
    path: '/api/v1/services/aigc/multimodal-generation/generation',
    asked: { size: '1024x1024', response_format: 'b64_json' },
    sent: {
      model: 'qwen-image',
      input: { messages: [{ role: 'user', content: [{ text: 'a cat' }] }] },
      parameters: { size: '1024*1024', n: 1 },
    },
    answer: { output: { choices: [{ message: { content: [{ image: address }] } }] }, usage: { image_count: 1 } },
    quota: 15_625,
  },
  {
    type: 17,
    model: 'qwen-image',
    path: '/api/v1/services/aigc/multimodal-generation/generation',
    asked: { size: 'auto' },
    sent: {
      model: 'qwen-image',
      input: { messages: [{ role: 'user', content: [{ text: 'a cat' }] }] },
      parameters: { n: 1 },
    },
    answer: { output: { choices: [{ message: { content: [{ image: address }] } }] }, usage: { image_count: 1 } },
    quota: 15_625,
  },
  {
    type: 46,
    model: 'irag-1.0',
    path: '/v2/images/generations',
    asked: { size: 'auto', quality: 'auto', background: 'auto', output_format: 'png', moderation: 'low', guidance: 3 },
    sent: { model: 'irag-1.0', prompt: 'a cat', guidance: 3 },
    answer: { id: 'as-1', created: 5, data: [{ url: address }] },
    quota: 5000,
  },
  {
    type: 35,
    model: 'image-01',
    path: '/v1/image_generation',
    asked: { n: 2, size: '1024x1024' },
    sent: { model: 'image-01', prompt: 'a cat', n: 2, response_format: 'url', aspect_ratio: '1:1' },
    answer: { data: { image_urls: [address, address] }, base_resp: { status_code: 0 } },
    quota: 10_000,
  },
  {
    type: 48,
    model: 'grok-imagine-image',
    path: '/v1/images/generations',
    asked: { response_format: 'b64_json', size: '1024x1536' },
    sent: { model: 'grok-imagine-image', prompt: 'a cat', response_format: 'b64_json', aspect_ratio: '2:3' },
    answer: { data: [{ b64_json: b64 }], usage: { cost_in_usd_ticks: 700000000 } },
    quota: 10_000,
  },
  {
    type: 48,
    model: 'grok-imagine-image-2.0',
    path: '/v1/images/generations',
    asked: { quality: 'standard', size: '1952x900' },
    sent: {
      model: 'grok-imagine-image-2.0',
      prompt: 'a cat',
      quality: 'medium',
      aspect_ratio: '19.5:9',
      resolution: '2k',
    },
    answer: { data: [{ url: address }] },
    quota: 20_000,
  },
  {
    type: 40,
    model: 'Qwen/Qwen-Image',
    path: '/v1/images/generations',
    asked: { size: '1024x1024', seed: 7 },
    sent: { model: 'Qwen/Qwen-Image', prompt: 'a cat', batch_size: 1, image_size: '1024x1024', seed: 7 },
    answer: { images: [{ url: address }], data: [{ url: address }], timings: {} },
    quota: 5000,
  },
  {
    type: 40,
    model: 'black-forest-labs/FLUX.2-pro',
    path: '/v1/images/generations',
    asked: { size: '1024x768' },
    sent: { model: 'black-forest-labs/FLUX.2-pro', prompt: 'a cat', batch_size: 1, width: 1024, height: 768 },
    answer: { images: [{ url: address }] },
    quota: 5000,
  },
  {
    type: 45,
    model: 'doubao-seedream-4-0',
    path: '/api/v3/images/generations',
    asked: { size: '2K', n: 2 },
    sent: {
      model: 'doubao-seedream-4-0',
      prompt: 'a cat',
      size: '2K',
      watermark: false,
      sequential_image_generation: 'auto',
      sequential_image_generation_options: { max_images: 2 },
    },
    answer: {
      created: 5,
      data: [{ url: address }, { error: { code: 'x', message: 'y' } }],
      usage: { generated_images: 1 },
    },
    quota: 5000,
  },
  {
    type: 26,
    model: 'cogview-4',
    path: '/api/paas/v4/images/generations',
    asked: { response_format: 'b64_json' },
    sent: { model: 'cogview-4', prompt: 'a cat' },
    answer: { created: 5, data: [{ url: address }] },
    quota: 4150,
  },
];
