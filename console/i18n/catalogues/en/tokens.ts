import type { TextsLike } from '../../texts-like.ts';
import type { texts as zh } from '../zh/tokens.ts';

export const texts: TextsLike<typeof zh> & {
  readonly models: object;
  readonly done: object;
  readonly confirm: object;
  readonly copiedCount_one: string;
} = {
  warning: 'Tokens are for your own use only, do not hand them out',
  act: {
    add: 'Add token',
    edit: 'Edit',
    enable: 'Enable',
    disable: 'Disable',
    delete: 'Delete',
    log: 'View log',
    copyNames: 'Copy names and keys',
    copyKeys: 'Copy keys only',
    chat: 'Chat: {name}',
  },
  filter: { keyword: 'Name', token: 'Key' },
  column: {
    name: 'Name',
    key: 'Key',
    status: 'Status',
    used: 'Used',
    remaining: 'Remaining',
    group: 'Group',
    created: 'Created',
    expires: 'Expires',
    lastUsed: 'Last used',
    models: 'Models',
    limits: 'Limits',
  },
  group: { account: 'Account group' },
  models: { all: 'All', count_one: '{count} model', count_other: '{count} models' },
  key: { once: 'Shown at creation only', label: 'key of token "{name}"' },
  share: '{percent} used',
  expiresSoon: 'Expires within 3 days',
  empty: 'No tokens yet: a token lets an app call models with your balance.',
  reference: 'API reference',
  none: 'Please select at least one token',
  copiedCount_one: '{count} token',
  copiedCount_other: '{count} tokens',
  refused: {
    expired: 'The token has expired: change its expiry first',
    exhausted: 'The token is exhausted: raise its quota first',
  },
  done: {
    enabled: 'Token enabled',
    disabled: 'Token disabled',
    deleted: 'Token deleted',
    deletedCount_one: '{count} token deleted',
    deletedCount_other: '{count} tokens deleted',
  },
  confirm: {
    delete: 'Delete token "{name}"?',
    stops: 'Applications using it stop working at once',
    deleteVerb: 'Delete token',
    deleteMany_one: 'Delete {count} token?',
    deleteMany_other: 'Delete {count} tokens?',
    manyStop: 'Applications using them stop working at once',
    deleteManyVerb_one: 'Delete {count} token',
    deleteManyVerb_other: 'Delete {count} tokens',
  },
  limit: { rpm: '{n} requests/min', tpm: '{n} tokens/min', none: 'None' },
};
