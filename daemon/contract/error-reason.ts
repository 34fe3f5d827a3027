/** Why something failed, as the driver or the system said first: the end of the chain of causes. */
const MOST_LINKS = 5;

/** Undefined for what is no error. */
export function reasonOf(failure: unknown): string | undefined {
  let deepest: Error | undefined;
  for (let at = failure, links = 0; at instanceof Error && links <= MOST_LINKS; at = at.cause, links += 1) deepest = at;
  // Several addresses of one name fail as one error without a text of its own.
  if (deepest instanceof AggregateError) return deepest.errors.map(textOf).join(', ');
  return deepest?.message.replace(statementBefore, '');
}

/** Knex says the whole statement first. */
const statementBefore = /^\s*(select|insert|update|delete|with|create|alter|drop|analyze|pragma|set|begin)\s.* - /is;

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
