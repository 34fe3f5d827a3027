import type { TextsLike } from '../../texts-like.ts';
import type { texts as zh } from '../zh/components.ts';

export const texts: TextsLike<typeof zh> = {
  confirm: {
    type: 'Type “{text}” to confirm',
  },
  copy: {
    refused: 'Unable to copy to clipboard, copy manually',
  },
  form: {
    required: 'This field is required',
    invalid: 'Not in the right form',
    integer: 'Enter an integer',
    tooShort_one: 'At least {count} character',
    tooShort_other: 'At least {count} characters',
    tooLong_one: 'At most {count} character',
    tooLong_other: 'At most {count} characters',
    tooFew_one: 'Choose at least {count} item',
    tooFew_other: 'Choose at least {count} items',
    tooMany_one: 'At most {count} item',
    tooMany_other: 'At most {count} items',
    tooSmall: 'Must not be less than {limit}',
    tooBig: 'Must not be greater than {limit}',
    submitKeys: 'Ctrl/⌘ + Enter',
  },
  money: {
    unit: 'Unit',
    quota: 'Quota',
    in: { dollar: 'Enter dollars', quota: 'Enter quota' },
    asQuota: 'Equals {amount} quota',
    asDollars: 'Equals {amount}',
    tooPrecise: 'Precise to {limit}',
    unreadable: 'Enter a valid amount',
    tooLarge: 'The amount is too large',
  },
  key: {
    show: 'Show {label}',
    hide: 'Hide {label}',
    copy: 'Copy {label}',
  },
  countdown: {
    started: 'Wait {seconds} seconds',
    ended: 'Ready again',
  },
  json: {
    mistake: 'Line {line}, column {column}: not valid JSON',
    refused: 'Line {line}, column {column} ({path}): {message}',
    keys: 'Tab indents; Esc then Tab leaves',
    format: 'Format',
    template: 'Insert template',
    overwrite: 'Replace the text by the template?',
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
