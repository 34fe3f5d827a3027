/** What an account may do, as the number that its row holds: the lowest one of each level. */
export const roles = { user: 1, admin: 10, root: 100 } as const;
