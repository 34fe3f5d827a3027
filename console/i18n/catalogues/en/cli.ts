import type { TextsLike } from '../../texts-like.ts';
import type { texts as zh } from '../zh/cli.ts';

export const texts: TextsLike<typeof zh> = {
  title: 'Sign a command line in',
  broken: 'This link is incomplete or damaged. Run tollgate login in your terminal again.',
  code: {
    lead: 'Type the code that your terminal shows, then see which program asks to be signed in.',
    label: 'Code',
    short: 'A code has 8 letters',
    warning:
      'Type only a code that you yourself have just been shown in a terminal. A code that somebody sends you by message, mail or phone signs them in as you.',
    submit: 'Next',
  },
  review: {
    lead: 'This program asks to be signed in as you:',
    warningTitle: 'Agree only if you have just started this yourself',
    warningHere: 'This page is opened by tollgate login in a terminal on this machine. If you have not run it, refuse.',
    warningElsewhere:
      'The program will hold a token and act as you, within what stands below. If you have not started it, refuse.',
    warningOtherAddress:
      'The program asks from another address ({address}) than yours. Unless you know that it is your own server or container, refuse.',
    name: 'Calls itself',
    origin: 'From',
    thisMachine: 'this machine (127.0.0.1)',
    otherAddress: 'not your address',
    asked: 'Asked',
    account: 'As',
    writes: 'May see and change',
    reads: 'May see',
    until: 'Until',
    revocable: 'You can revoke it at any time: personal settings, security, machine tokens.',
    approve: 'Let it sign in',
    deny: 'Refuse',
  },
  end: {
    approved: 'It may sign in. Go back to the terminal; you can close this page.',
    carried: 'It may sign in, and is being told so. Go back to the terminal.',
    denied: 'It was refused and has got nothing.',
  },
};
