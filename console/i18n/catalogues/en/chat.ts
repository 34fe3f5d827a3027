import type { TextsLike } from '../../texts-like.ts';
import type { texts as zh } from '../zh/chat.ts';

export const texts: TextsLike<typeof zh> = {
  redirecting: 'Redirecting...',
  consent: {
    title: 'Hand a token to {host}',
    site: 'This hands token "{name}" to {host}, which can then spend your balance.',
    program: 'This hands token "{name}" to the program {host}, which can then spend your balance.',
    query: "This link puts the token into the URL's query",
    limits: 'A limited token is good for 1 day and $1, in the group of that token.',
    limited: 'Create a limited token',
    use: 'Use this token',
  },
};
