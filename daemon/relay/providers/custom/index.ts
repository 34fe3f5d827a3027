/** A channel whose address is the whole request URL, as its operator wrote it. Knows no vendor at all. */
import { billingBalance } from '../billing-balance.ts';
import { modelList, openaiCompatible, openaiFormats } from '../openai-compatible.ts';

const chatTail = /\/chat\/completions$/;

/** The name inside the URL; slashes separate path segments there as they do in the name. */
function inPath(model: string): string {
  return model.split('/').map(encodeURIComponent).join('/');
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address;
}

export const custom = openaiCompatible({
  id: 'custom',
  owner: 'custom',
  label: { en: 'Custom (full URL)', zh: '自定义渠道（完整地址）' },
  channelType: 8,
  baseUrl: '',
  isWholeAddress: true,
  speaks: openaiFormats(
    'completions',
    'edits',
    'embeddings',
    'moderations',
    'rerank',
    'images',
    'image-edits',
    'image-variations',
    'speech',
    'transcription',
    'translation',
  ),
  streamUsage: false,
  path: ({ baseUrl, model }) => baseUrl.replaceAll('{model}', () => inPath(model)),
  // Of any other address nobody knows where a list may stand beside it.
  listModels: ({ baseUrl }) => (chatTail.test(baseUrl) ? modelList(baseUrl.replace(chatTail, '/models')) : undefined),
  balance: (facts) => {
    const baseUrl = chatTail.test(facts.baseUrl) ? facts.baseUrl.replace(chatTail, '') : originOf(facts.baseUrl);
    return billingBalance({ ...facts, baseUrl }).map((request) => ({ ...request, path: baseUrl + request.path }));
  },
  failures: [
    { status: 401, means: 'bad-key' },
    { status: 402, means: 'no-credit' },
    { status: 404, means: 'no-model' },
  ],
  models: [],
});
