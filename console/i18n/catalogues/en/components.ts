import type { TextsLike } from '../../texts-like.ts';
import type { texts as zh } from '../zh/components.ts';

export const texts: TextsLike<typeof zh> = {
  action: {
    cancel: 'Cancel',
    close: 'Close',
    copy: 'Copy',
    retry: 'Retry',
    undo: 'Undo',
  },
  confirm: {
    type: 'Type “{text}” to confirm',
  },
  copy: {
    done: 'Copied: {value}',
    refused: 'Unable to copy to clipboard, copy manually',
  },
  toast: {
    requestId: 'Request id',
  },
  failure: {
    told: 'Error: {message}',
    signedOut: 'Not logged in or login expired, please log in again',
    gone: 'This record does not exist or was deleted',
    demo: 'This site is for demo only, no server',
    tooMany: 'Too many requests, try later',
    tooManyUntil: 'Too many requests, try later (retry in {seconds} s)',
    server: 'Internal server error, contact the administrator',
    unavailable: 'Service unavailable, retrying',
    network: 'Network problem, check the connection',
    unreadable: 'The server sent something unreadable',
  },
};
